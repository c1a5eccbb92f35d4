import type { Access, Environment } from '../clusterAccess.ts'
import type { RunProgram } from '../down/runProgram.ts'

/** The sources of the preflight: the environment, Azure and the clusters, and local programs. */
export type InspectDeps = { readonly environment: Environment; readonly access: Access; readonly run: RunProgram }

/** Something that was not checked, and why. */
export type Unread = { readonly what: string; readonly why: string }
