import { createMemoryWorld } from '../../shared/adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../shared/adapters/memory/virtualClock.ts'
import { explain, type Question } from '../../shared/flows/answer/explain.ts'
import { reconcile } from '../../shared/flows/decide/reconcile.ts'
import type { ClusterDeps } from '../../shared/flows/deps/clusterDeps.ts'
import { createClusterReader } from '../../shared/flows/state/catchUp.ts'
import { compactLog } from '../../shared/flows/state/ingestEvents.ts'
import type { Change } from '../../shared/model/change.ts'
import { clusterId } from '../../shared/model/ids.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { epochMs } from '../../shared/model/units.ts'
import { NOW } from '../../test/builders/clock.ts'
import { settings } from '../../test/builders/snapshot.ts'
import { fakeTypes } from '../scheduling/catalogs/fakeTypes.ts'
import { startingWith } from './storedCluster.ts'

// Runs the app's own look at a cluster on ports in memory: the code of a user's app, without network and storage.

const NEVER = new AbortController().signal

/** An app that looks at one cluster. Each call is one message of the shim, one look, or one question. */
export interface LoadedApp {
  post(pods: readonly Pod[], gone?: readonly string[]): Promise<void>
  look(): Promise<void>
  explain(question: Question): Promise<void>
  /** Replaces the process by a new one, which has only what is stored. */
  restart(): void
}

export function loadApp(stored: Buffer): LoadedApp {
  const world = createMemoryWorld({ clock: createVirtualClock(epochMs(NOW)), cluster: clusterId('bench'), instanceTypes: fakeTypes() })
  const { ports, clock } = world
  const log = startingWith(stored, ports.log)
  const deps: ClusterDeps = { ...ports, log, settings: settings() }
  const newSession = () => ({ reader: createClusterReader(log) })
  let session = newSession()
  let seq = 1
  return {
    async post(pods, gone = []) {
      const at = clock.now()
      const puts = pods.map((each): Change => ({ op: 'put', kind: 'pod', key: each.key, object: each, seq: ++seq, at }))
      const deletes = gone.map((key): Change => ({ op: 'delete', kind: 'pod', key, seq: ++seq, at }))
      await log.append({ term: 1, receivedAt: at, body: { kind: 'changes', changes: [...puts, ...deletes] } }, NEVER)
    },
    async look() {
      await reconcile(deps, session, [], NEVER)
      await compactLog(deps, session.reader, NEVER)
    },
    async explain(question) {
      const answer = await explain(deps, session.reader, question, NEVER)
      if (!answer.ok) throw new Error(answer.error.message)
    },
    restart() {
      session = newSession()
    },
  }
}
