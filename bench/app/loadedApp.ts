// The app's own look at a cluster, on ports in memory: what a user's app runs, without network and storage.
import { createMemoryWorld, type MemoryWorld } from '../../shared/adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../shared/adapters/memory/virtualClock.ts'
import { createClusterReader } from '../../shared/flows/catchUp.ts'
import type { ClusterDeps } from '../../shared/flows/clusterDeps.ts'
import { type ReconcileSession, reconcile } from '../../shared/flows/reconcile.ts'
import { createWakeUp } from '../../shared/flows/wakeUp.ts'
import type { Change } from '../../shared/model/change.ts'
import { clusterId } from '../../shared/model/ids.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { epochMs } from '../../shared/model/units.ts'
import { NOW } from '../../test/builders/clock.ts'
import { nodeClass } from '../../test/builders/nodeClass.ts'
import { nodePool } from '../../test/builders/nodePool.ts'
import { settings } from '../../test/builders/snapshot.ts'
import { fakeTypes } from '../scheduling/catalogs/fakeTypes.ts'
import { fullCluster } from '../scheduling/workloads/arrivals.ts'

const NEVER = new AbortController().signal
const PER_PART = 5_000

/** An app that looks at one cluster. Each call is one message of the shim, or one look. */
export interface LoadedApp {
  readonly world: MemoryWorld
  post(pods: readonly Pod[], gone?: readonly string[]): Promise<void>
  look(): Promise<void>
  /** Another process takes over: it knows what is stored, and no more. */
  restart(): void
}

export async function loadApp(nodes: number): Promise<LoadedApp> {
  const world = createMemoryWorld({ clock: createVirtualClock(epochMs(NOW)), cluster: clusterId('bench'), instanceTypes: fakeTypes() })
  const { ports, clock } = world
  const deps: ClusterDeps = { ...ports, settings: settings() }
  const newSession = (): ReconcileSession => ({ reader: createClusterReader(ports.log), wakeUp: createWakeUp(ports) })
  let session = newSession()
  let seq = 1
  const { node, nodeClaim, pod } = fullCluster(nodes)
  const loaded: readonly Change[] = [
    ...putsOf('nodeClass', [nodeClass()]),
    ...putsOf('nodePool', [nodePool()]),
    ...putsOf('node', node),
    ...putsOf('nodeClaim', nodeClaim),
    ...putsOf('pod', pod),
  ]
  const parts = Math.ceil(loaded.length / PER_PART)
  for (let part = 0; part < parts; part++) {
    const changes = loaded.slice(part * PER_PART, (part + 1) * PER_PART)
    await ports.log.append({ term: 1, receivedAt: clock.now(), body: { kind: 'snapshot', seq, part, parts, changes } }, NEVER)
  }
  return {
    world,
    async post(pods, gone = []) {
      const at = clock.now()
      const puts = pods.map((each): Change => ({ op: 'put', kind: 'pod', key: each.key, object: each, seq: ++seq, at }))
      const deletes = gone.map((key): Change => ({ op: 'delete', kind: 'pod', key, seq: ++seq, at }))
      await ports.log.append({ term: 1, receivedAt: at, body: { kind: 'changes', changes: [...puts, ...deletes] } }, NEVER)
    },
    async look() {
      await reconcile(deps, session, [], NEVER)
    },
    restart() {
      session = newSession()
    },
  }

  function putsOf(kind: Change['kind'], objects: readonly object[]): readonly Change[] {
    return objects.map((object) => {
      const key = 'name' in object ? object.name : Reflect.get(object, 'key')
      return { op: 'put', kind, key, object, seq, at: clock.now() } as Change
    })
  }
}
