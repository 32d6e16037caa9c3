import { z } from 'zod';

/** `142` or `#142`. */
export const DeploymentNumber = z
  .string()
  .regex(/^#?\d{1,9}$/, "That is not a deployment's number, such as 142.")
  .transform((text) => Number.parseInt(text.replace('#', ''), 10));
