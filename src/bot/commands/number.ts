import { z } from 'zod';

/** `142` or `#142`. */
export const DeploymentNumber = z
  .string()
  .regex(/^#?\d{1,9}$/, "That is not a deployment's number, such as 142.")
  .transform((text) => Number.parseInt(text.replace('#', ''), 10));

export const LineCount = z
  .string()
  .regex(/^(?:[1-9]\d?|1\d\d|200)$/, 'lines is a number from 1 to 200.')
  .transform((text) => Number.parseInt(text, 10));
