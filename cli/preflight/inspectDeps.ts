import type { Access, Environment } from '../clusterAccess.ts'
import type { RunProgram } from '../down/runProgram.ts'

/** What the preflight asks: the environment, Azure and the clusters, and programs of this machine. */
export type InspectDeps = { readonly environment: Environment; readonly access: Access; readonly run: RunProgram }
