import type { Reader } from '../text/reader.ts';
import type { Workspace } from '../workspace.ts';
import { conversationHtml, threadHtml } from './conversation-html.ts';
import type { LookingAt } from './looking-at.ts';
import { modalHtml } from './modal-html.ts';
import { headHtml, placesHtml } from './places-html.ts';

/** The parts of the page that change by themselves, as HTML. */
export interface Picture {
  places: string;
  head: string;
  list: string;
  thread: string;
  modal: string;
}

export function pictureOf(workspace: Workspace, reader: Reader, at: LookingAt, sockets: number): Picture {
  return {
    places: placesHtml(workspace, at),
    head: headHtml(workspace, at, sockets),
    list: conversationHtml(workspace, reader, at),
    thread: threadHtml(workspace, reader, at),
    modal: modalHtml(workspace, reader, at.user),
  };
}
