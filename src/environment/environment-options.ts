import type { FileAccess } from '../workspace/types.ts';
import type { Variables } from './child-env.ts';

/** The folders of a session an environment deals with, all absolute. */
export interface EnvironmentPaths {
  readonly workspace: string;
  readonly scratchpad: string;
  readonly output: string;
  readonly input: string;
  /** `.session/`: never visible to commands; quarantine goes there. */
  readonly stateDir: string;
  /** The user's Python environment; may not exist. */
  readonly venv: string;
}

/** Limits of every process; a spawn may ask for other ones. */
export interface EnvironmentLimits {
  readonly memoryMib?: number;
  readonly processes?: number;
  readonly cpuSeconds?: number;
  readonly fileSizeMib?: number;
  readonly openFiles?: number;
  /** Free space on the workspace's volume below which commands are ended. */
  readonly diskFloorMib?: number;
}

export interface EnvironmentOptions {
  /** TOOLWRIGHT_HOME. */
  readonly home: string;
  readonly sessionId?: string;
  readonly paths: EnvironmentPaths;
  readonly files: FileAccess;
  readonly limits: EnvironmentLimits;
  /** Whether commands may use the network. */
  readonly network: boolean;
  /** `sandbox.read`: more paths commands may read. */
  readonly sandboxRead?: readonly string[];
  /** `permissions.extra_roots`. */
  readonly extraRoots?: readonly { readonly path: string; readonly write: boolean }[];
  /** Folders of visible skills, read-only. */
  readonly skills?: readonly string[];
  /** `sandbox.env`: names passed from our environment. */
  readonly envNames?: readonly string[];
  /** Our own environment; default `process.env`. */
  readonly parentEnv?: Variables;
}
