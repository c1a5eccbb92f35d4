// What carries out the orders of the person who installs: azd, or an imitation of azd where it is not built.
import type { Json } from '../../../infra/check/evaluate/value.ts'
import type { ReleaseParts } from '../releaseParts.ts'
import type { Mode, Templates } from '../templates.ts'
import type { DeployerPlace } from '../world/deployerPlace.ts'
import type { Platform } from '../world/startInstallation.ts'
import type { World } from '../world/startWorld.ts'
import type { AzdOutcome } from './startAzd.ts'

export type Values = { readonly [name: string]: string }

export interface Driver {
  readonly name: 'azd' | 'imitation'
  /** Sets values of the environment, as `azd env set` does. */
  set(values: Values): Promise<void>
  /** Returns the values of the environment, as hooks get them. */
  values(): Values
  /** `azd up` without a terminal. */
  up(): Promise<AzdOutcome>
  /** `azd up` in a terminal, where it may ask. Nobody answers. Undefined where there is no terminal to be had. */
  readonly upInTerminal: (() => Promise<AzdOutcome>) | undefined
  /** `azd down --force --purge` without a terminal. */
  down(): Promise<AzdOutcome>
  close(): Promise<void>
}

export type DriverOptions = {
  readonly world: World
  readonly place: DeployerPlace
  readonly templates: Templates
  readonly mode: Mode
  /** Adds what AKS adds to the cluster that the template makes. Undefined if the cluster is there before. */
  readonly demo?: (() => void) | undefined
  readonly release: ReleaseParts
  /** Starts what Azure runs for the installation, once its resources are there. Later calls return the same. */
  readonly platform: () => Promise<Platform>
}

/** Returns what `azd env set` is told before the first `azd up`. */
export function wishesOf({
  world: { azure },
  templates,
  mode,
  demo,
}: Pick<DriverOptions, 'world' | 'templates' | 'mode' | 'demo'>): Values {
  const cluster: Values = demo === undefined ? { JOINER_CLUSTER_IDS: azure.clusterResourceId } : { JOINER_DEMO_CLUSTER: 'true' }
  return { ...cluster, JOINER_NETWORK: mode, JOINER_RBAC: templates.rbac, JOINER_DOWN: 'drain' }
}

/** Reads a value that holds JSON. */
export function jsonIn(values: Values, name: string): Json {
  const parsed: Json = JSON.parse(values[name] ?? 'null')
  return parsed
}
