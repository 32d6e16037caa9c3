import { z } from 'zod';
import { postAsBot } from '../conversation.ts';
import { newId } from '../ids.ts';
import type { SharedFile } from '../message.ts';
import { Refusal } from '../refusal.ts';
import { escapeText } from '../validate/as-stored.ts';
import { channelToWriteIn, type StoredFile, type Workspace } from '../workspace.ts';
import { count, defineMethod } from './method.ts';

const LARGEST_SNIPPET = 1_000_000;

export const getUploadUrl = defineMethod(
  z.object({ filename: z.string().min(1), length: count, snippet_type: z.string().optional() }),
  (args, workspace) => {
    if (args.length <= 0) throw new Refusal('missing_argument');
    if (args.snippet_type !== undefined && args.length > LARGEST_SNIPPET) throw new Refusal('snippet_too_large');
    const id = newId('F');
    workspace.files.set(id, { id, name: args.filename, size: args.length });
    return { upload_url: `${workspace.baseUrl}/upload/v1/${id}`, file_id: id };
  },
);

export const completeUpload = defineMethod(
  z.object({
    files: z.array(z.object({ id: z.string(), title: z.string().optional() })).min(1),
    channel_id: z.string().optional(),
    thread_ts: z.string().optional(),
    initial_comment: z.string().optional(),
  }),
  (args, workspace) => {
    const channel = args.channel_id === undefined ? undefined : channelToWriteIn(workspace, args.channel_id);
    const files = args.files.map(({ id, title }) => share(workspace, workspace.files.get(id), title));
    if (channel) {
      const placement = { channel: channel.id, threadTs: args.thread_ts };
      postAsBot(workspace, placement, { text: escapeText(args.initial_comment ?? ''), files });
    }
    return { files };
  },
);

/** Takes what a client uploads: raw bytes, or the first part of a multipart form. */
export function takeUpload(file: StoredFile, body: Buffer, contentType: string): void {
  file.contentType = contentType;
  file.content = contentType.startsWith('multipart/') ? firstPart(body, contentType) : body;
}

function share(workspace: Workspace, file: StoredFile | undefined, title: string | undefined): SharedFile {
  if (!file?.content) throw new Refusal('file_not_found');
  file.shared = {
    id: file.id,
    name: file.name,
    title: title ?? file.name,
    mimetype: 'text/plain',
    size: file.content.length,
    url_private: `${workspace.baseUrl}/files/${file.id}`,
    permalink: `${workspace.baseUrl}/files/${file.id}`,
  };
  return file.shared;
}

function firstPart(body: Buffer, contentType: string): Buffer {
  const boundary = Buffer.from(`\r\n--${/boundary="?([^";]+)/.exec(contentType)?.[1] ?? ''}`);
  const start = body.indexOf('\r\n\r\n') + 4;
  const end = body.indexOf(boundary, start);
  return body.subarray(start, end < 0 ? body.length : end);
}
