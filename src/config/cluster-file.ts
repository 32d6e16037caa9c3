import { isIP } from 'node:net';
import { z } from 'zod';

/** A name from people that may stand in a command line: starts with a letter, holds nothing that a shell or an option parser knows. */
export const Name = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,30}$/, 'must be a name such as "spark1": a-z, 0-9 and -, starting with a letter');

const Address = z.string().refine((text) => isIP(text) === 4, 'must be an IPv4 address such as 192.168.200.12');

const AbsolutePath = z
  .string()
  .regex(
    /^\/(?!(?:.*\/)?\.\.?(?:\/|$))[\w./+@-]+$/,
    'must be an absolute path without .. and of letters, digits and . _ / + @ -',
  );

const Tolerated = z
  .string()
  .regex(
    /^[A-Za-z0-9][\w./:@-]{0,254}$/,
    "must be a container's name or an image such as nvcr.io/nvidia/k8s/dcgm-exporter, without wildcards",
  );

const Interface = z.string().regex(/^[A-Za-z][\w.-]{0,14}$/, 'must be a network interface such as enp1s0f0np0');

const Paths = z.strictObject({ models: AbsolutePath, cache: AbsolutePath, state: AbsolutePath });

export const Node = z.strictObject({
  name: Name,
  role: z.enum(['head', 'worker']).default('worker'),
  /** Management address: how sparkops gets there. */
  address: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9.:-]*$/, 'must be an address or a host name'),
  port: z.int().min(1).max(65_535).default(22),
  /** Jump hosts, tried in order. */
  via: z.array(Name).default([]),
  /** SHA256:... as `ssh-keygen -lf` prints it. */
  host_key: z
    .string()
    .regex(/^SHA256:[A-Za-z0-9+/]{43}$/, 'must be SHA256: and 43 characters, as ssh-keygen -lf prints it')
    .optional(),
  fabric: z.strictObject({ address: Address, interface: Interface, rdma: z.array(Interface).default([]) }),
  /** Where this node's folders differ from the cluster's. */
  paths: Paths.partial().optional(),
});
export type Node = z.infer<typeof Node>;

/** config/clusters/NAME.yaml; the cluster's name is the file's. */
export const ClusterFile = z.strictObject({
  description: z.string().default(''),
  /** Slack channels whose commands mean this cluster. */
  channels: z.array(z.string().regex(/^[CG][A-Z0-9]+$/, 'must be a channel id such as C0OPS000001')).default([]),
  ssh: z.strictObject({
    user: z.string().regex(/^[a-z_][a-z0-9_-]*$/, 'must be a user name'),
    /** The private key's file on the worker's machine. `~` and paths relative to the configuration folder are resolved by loadConfig. */
    key: z.string().min(1).optional(),
    agent: z.boolean().default(false),
    known_hosts: z.string().min(1).optional(),
  }),
  nodes: z.array(Node).min(1),
  paths: Paths,
  /** Never 6379: Redis may live on the head. */
  ray_port: z.int().min(1024).max(65_535).default(29_501),
  caps: z.record(z.string(), z.number()).default({}),
  min_gbit: z.number().positive().default(80),
  /** Containers of others that may run beside a model. */
  tolerates: z.array(Tolerated).default([]),
});
export type ClusterFile = z.infer<typeof ClusterFile>;

export interface Cluster extends ClusterFile {
  name: string;
}
