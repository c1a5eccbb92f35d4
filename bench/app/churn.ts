import type { Change } from '../../shared/model/change.ts'
import type { ObjectByKind, ObjectKind } from '../../shared/model/clusterObjects.ts'
import { type DecisionContext } from '../../shared/model/clusterSnapshot.ts'
import { allocatableOfType } from '../../shared/model/instanceType.ts'
import { LABEL } from '../../shared/model/labels.ts'
import { type EpochMs, epochMs } from '../../shared/model/units.ts'
import { NOW } from '../../test/builders/clock.ts'
import { node } from '../../test/builders/node.ts'
import { nodeClaim } from '../../test/builders/nodeClaim.ts'
import { nodeClass } from '../../test/builders/nodeClass.ts'
import { nodePool } from '../../test/builders/nodePool.ts'
import { pod } from '../../test/builders/pod.ts'
import { snapshot } from '../../test/builders/snapshot.ts'
import { FAKE_ZONES, fakeType, fakeTypes } from '../scheduling/catalogs/fakeTypes.ts'
import { apart, selecting, spreadOver } from '../scheduling/workloads/shapes.ts'

// A cluster in which everything is replaced again and again, as changes of the shim.

/** A change that has no number yet. */
export type Unnumbered = Omit<Extract<Change, { readonly op: 'put' }>, 'seq'> | Omit<Extract<Change, { readonly op: 'delete' }>, 'seq'>

export interface Churn {
  /** Returns everything that exists at the beginning. */
  load(): readonly Unnumbered[]
  /** Returns the next changes: one machine and its pods are deleted. A new machine comes with pods of new revisions, and one pod is pending. */
  next(): readonly Unnumbered[]
  context(decision: number): DecisionContext
  now(): EpochMs
}

const NODES = 300
const PODS_PER_NODE = 20
/** Virtual time between two replacements of machines. */
const STEP_MS = 10_000

export function createChurn(): Churn {
  const type = fakeType(8)
  const size = { capacity: type.capacity, allocatable: allocatableOfType(type) }
  const { objects: _, ...about } = snapshot({ types: fakeTypes() })
  const machines: (readonly Unnumbered[])[] = []
  let waiting: readonly Unnumbered[] = []
  let made = 0
  let now: number = NOW

  function machine(): readonly Unnumbered[] {
    const claim = `default-${(made++).toString(36).padStart(6, '0')}`
    const place = { nodePool: 'default', size: type.name, zone: FAKE_ZONES[made % FAKE_ZONES.length] ?? '' }
    const host = node({ ...place, claim, ...size })
    const pods = Array.from({ length: PODS_PER_NODE }, (_unused, index) => replica(`${claim}-${index}`, made * 7 + index, host.name))
    return [put('node', host), put('nodeClaim', nodeClaim({ ...place, name: claim, status: size })), ...pods]
  }

  /** Returns a pod. Each revision has other labels and other requests, as in a rollout of a Deployment. */
  function replica(name: string, revision: number, nodeName?: string): Unnumbered {
    const labels = { app: `app-${revision % 200}`, 'pod-template-hash': `r${revision}` }
    const selector = selecting({ app: `app-${revision % 200}` })
    const shape = {
      name,
      labels,
      cpus: 0.1 + (revision % 1_000) / 10_000,
      memoryGib: 0.25,
      ...(nodeName === undefined ? {} : { nodeName }),
    }
    const spread = revision % 3 === 0 ? { topologySpread: [spreadOver(LABEL.zone, selector)] } : {}
    const keptApart = revision % 10 === 9 ? { podAntiAffinity: apart(selector) } : {}
    return put('pod', pod({ ...shape, ...spread, ...keptApart }))
  }

  function put<Kind extends ObjectKind>(kind: Kind, object: ObjectByKind[Kind]): Unnumbered {
    const key = 'name' in object ? object.name : object.key
    return { op: 'put', kind, key, object, at: epochMs(now) } as Unnumbered
  }

  return {
    load() {
      for (let index = 0; index < NODES; index++) machines.push(machine())
      return [put('nodeClass', nodeClass()), put('nodePool', nodePool()), ...machines.flat()]
    },
    next() {
      now += STEP_MS
      const gone = [...(machines.shift() ?? []), ...waiting].map(deleted)
      const come = machine()
      machines.push(come)
      waiting = [replica(`waiting-${made}`, made * 7)]
      return [...gone, ...come, ...waiting]
    },
    context: (decision) => ({ ...about, takenAt: epochMs(now), decision }),
    now: () => epochMs(now),
  }

  function deleted({ kind, key }: Unnumbered): Unnumbered {
    return { op: 'delete', kind, key, at: epochMs(now) }
  }
}
