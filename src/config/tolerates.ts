/**
 * Whether the `tolerates` of a cluster's file name this container: by its exact name or its image. An image without a tag
 * stands for all of its tags; nothing else stands for more than it says.
 */
export function isTolerated(
  tolerates: readonly string[],
  { name, image = '' }: { name?: string; image?: string },
): boolean {
  const undigested = image.replace(/@.*$/, '');
  // A colon before a slash belongs to the registry's port.
  const repository = undigested.replace(/:[^/:]*$/, '');
  return tolerates.some((each) => [name, image, undigested, repository].includes(each));
}
