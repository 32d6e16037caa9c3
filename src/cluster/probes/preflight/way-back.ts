/** A deployment that serves now, and whether it could be started again once it was stopped. */
export interface FoundServing {
  uid: string;
  number: number;
  recipe: string;
  /** `text`: one sentence, by what it is proven or what speaks against it. */
  wayBack: { proven: boolean; text: string };
}
