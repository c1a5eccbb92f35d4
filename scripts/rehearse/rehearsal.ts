// What the parts of one rehearsal share.
import type { Document } from '../../local/azure/arm/armState.ts'
import type { Driver } from './azd/driver.ts'
import type { ReleaseParts } from './releaseParts.ts'
import type { Mode, Templates } from './templates.ts'
import type { DeployerPlace } from './world/deployerPlace.ts'
import type { Following } from './world/startCharts.ts'
import type { Platform } from './world/startInstallation.ts'
import type { World } from './world/startWorld.ts'

/** Where the cluster of an installation comes from: it is there before, or `azd up` makes one for trials. */
export type Origin = 'existing' | 'demo'

/** Collects requests: `calls` holds those of hooks and commands to Azure, `data` those of all identities to storage. */
export type Asked = { readonly calls: Set<string>; readonly data: Set<string> }

export type Step = <Value>(name: string, run: () => Promise<readonly [shown: string, value: Value]>) => Promise<Value>

export type Rehearsal = {
  readonly mode: Mode
  readonly origin: Origin
  readonly step: Step
  readonly skip: (name: string, why: string) => void
  readonly world: World
  readonly place: DeployerPlace
  readonly templates: Templates
  readonly driver: Driver
  readonly release: ReleaseParts
  /** Starts what Azure runs for the installation, once its resources are there. Later calls return the same. */
  readonly platform: () => Promise<Platform>
  /** The processes of the forwarder, from the start of the platform on. */
  readonly following: () => Promise<Following>
  /** The resources that existed before anything was created. */
  readonly before: readonly Document[]
  /** Also plays in this mode what takes minutes, and one mode stands for by default. */
  readonly isWhole: boolean
}
