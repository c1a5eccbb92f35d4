// The environment of workload controllers in memory: a store of objects that accepts writes as an API server does, and a clock of the test.
import { err, ok } from '../../../shared/base/result.ts'
import type { JsonObject } from '../../kubernetes/object/json.ts'
import { mergeShapeOf } from '../../kubernetes/patch/mergeKeys.ts'
import { mergePatch } from '../../kubernetes/patch/mergePatch.ts'
import { strategicMerge } from '../../kubernetes/patch/strategicMerge.ts'
import type { KubeApi, PatchKind } from '../client/api.ts'
import type { Refusal } from '../client/kubeClient.ts'
import type { DaemonSet, Deployment, Job, Meta, Node, Pod, ReplicaSet, Stored } from '../client/objects.ts'
import type { Resource } from '../client/resource.ts'
import type { ControllerContext, Informers } from '../context.ts'
import { timestamp } from '../podState.ts'
import { type MemoryInformer, memoryInformer } from './memoryContext.ts'

export type MemoryWorkloads = {
  readonly context: ControllerContext
  readonly pods: MemoryInformer<Pod>
  readonly nodes: MemoryInformer<Node>
  readonly deployments: MemoryInformer<Deployment>
  readonly replicaSets: MemoryInformer<ReplicaSet>
  readonly daemonSets: MemoryInformer<DaemonSet>
  readonly jobs: MemoryInformer<Job>
  /** Every write so far, such as `POST pods` and `DELETE pods/web-1`. */
  readonly writes: readonly string[]
  /** The events about objects, such as `Warning FailedCreate Job/work: no`. */
  readonly events: readonly string[]
  /** What the controllers logged. */
  readonly lines: readonly string[]
  /** Refuses writes that start with the text. With undefined, accepts all writes. */
  refuse(start: string | undefined, refusal?: Refusal): void
  /** Moves the clock on. Timers are the test's own. */
  pass(ms: number): void
  /** Lets the controllers work until nothing is left to do. */
  settle(): Promise<void>
  /** Changes members of a stored object, as a user or a kubelet does. */
  edit<Item extends Stored>(informer: MemoryInformer<Item>, key: string, change: object): Item
}

export const BEGIN = Date.parse('2026-01-01T00:00:00Z')
type Merge = (before: JsonObject, change: JsonObject) => unknown

const FORBIDDEN: Refusal = { code: 403, reason: 'Forbidden', message: 'not you' }

/** A deleted pod that is bound to a node stays, terminating, until the test removes it, as its kubelet would. */
export function memoryWorkloads(): MemoryWorkloads {
  const pods = memoryInformer<Pod>()
  const nodes = memoryInformer<Node>()
  const deployments = memoryInformer<Deployment>()
  const replicaSets = memoryInformer<ReplicaSet>()
  const daemonSets = memoryInformer<DaemonSet>()
  const jobs = memoryInformer<Job>()
  const stores: { readonly [plural: string]: MemoryInformer<Stored> } = {
    pods: pods as unknown as MemoryInformer<Stored>,
    nodes: nodes as unknown as MemoryInformer<Stored>,
    deployments: deployments as unknown as MemoryInformer<Stored>,
    replicasets: replicaSets as unknown as MemoryInformer<Stored>,
    daemonsets: daemonSets as unknown as MemoryInformer<Stored>,
    jobs: jobs as unknown as MemoryInformer<Stored>,
  }
  const writes: string[] = []
  const events: string[] = []
  const lines: string[] = []
  let now = BEGIN
  let made = 0
  let refused: { readonly start: string | undefined; readonly refusal: Refusal } = { start: undefined, refusal: FORBIDDEN }
  const write = async (line: string): Promise<Refusal | undefined> => {
    writes.push(line)
    await Promise.resolve()
    return refused.start !== undefined && line.startsWith(refused.start) ? refused.refusal : undefined
  }
  const edit = <Item extends Stored>(informer: MemoryInformer<Item>, key: string, change: object, merge: Merge = mergePatch): Item => {
    const before = informer.get(key)
    if (before === undefined) throw new Error(`there is no ${key}`)
    const next = changed(before, change, merge)
    informer.put(next)
    return next
  }
  const storeOf = ({ plural }: Resource<Stored>): MemoryInformer<Stored> => {
    const store = stores[plural]
    if (store === undefined) throw new Error(`no store of ${plural}`)
    return store
  }
  const api: Pick<KubeApi, 'create' | 'patch' | 'remove'> = {
    create: async <Item extends Stored>(resource: Resource<Item>, object: object, namespace?: string) => {
      const refusal = await write(`POST ${resource.plural}`)
      if (refusal !== undefined) return err(refusal)
      const { metadata } = object as { readonly metadata: Partial<Meta> }
      const born = { uid: `made-${++made}`, resourceVersion: '1', generation: 1, creationTimestamp: timestamp(now), namespace }
      const stored = { ...object, metadata: { ...metadata, ...born } } as unknown as Item
      storeOf(resource).put(stored)
      return ok(stored)
    },
    patch: async <Item extends Stored>(
      resource: Resource<Item>,
      ref: { readonly name: string; readonly namespace?: string },
      patch: object,
      kind: PatchKind,
    ) => {
      const refusal = await write(`PATCH ${resource.plural}/${ref.name}`)
      if (refusal !== undefined) return err(refusal)
      const merge: Merge =
        kind === 'strategic' ? (before, change) => strategicMerge(before, change, mergeShapeOf(resource.plural)) : mergePatch
      return ok(edit(storeOf(resource), `${ref.namespace}/${ref.name}`, patch, merge) as Item)
    },
    remove: async <Item extends Stored>(
      resource: Resource<Item>,
      { name, namespace }: { readonly name: string; readonly namespace?: string },
      { uid, graceSeconds }: { readonly uid?: string; readonly graceSeconds?: number } = {},
    ) => {
      const refusal = await write(`DELETE ${resource.plural}/${name}`)
      if (refusal !== undefined) return err(refusal)
      const key = `${namespace}/${name}`
      const stored = storeOf(resource).get(key)
      if (stored?.metadata.uid !== uid) return err({ code: 409, reason: 'Conflict', message: 'another uid' })
      if (resource.plural === 'pods' && pods.get(key)?.spec.nodeName !== undefined && graceSeconds !== 0)
        return ok(edit(storeOf(resource), key, { metadata: { deletionTimestamp: timestamp(now) } }) as Item)
      storeOf(resource).remove(key)
      return ok(undefined)
    },
  }
  const informers = {
    pods: () => pods,
    nodes: () => nodes,
    deployments: () => deployments,
    replicaSets: () => replicaSets,
    daemonSets: () => daemonSets,
    jobs: () => jobs,
  } as unknown as Informers
  const context: ControllerContext = {
    api: api as KubeApi,
    events: {
      record: ({ kind, metadata }, { type, reason, message }) => void events.push(`${type} ${reason} ${kind}/${metadata.name}: ${message}`),
    },
    informers,
    log: (line) => void lines.push(line),
    now: () => now,
    speed: 1,
  }
  return {
    context,
    pods,
    nodes,
    deployments,
    replicaSets,
    daemonSets,
    jobs,
    writes,
    events,
    lines,
    refuse: (start, refusal = FORBIDDEN) => {
      refused = { start, refusal }
    },
    pass: (ms) => {
      now += ms
    },
    settle: async () => {
      for (let quiet = 0, seen = writes.length; quiet < 5; quiet = writes.length === seen ? quiet + 1 : 0) {
        seen = writes.length
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
    edit,
  }
}

/** Returns the object with the change and the next version. The generation rises if the change is of the spec. */
function changed<Item extends Stored>(before: Item, change: object, merge: Merge): Item {
  const merged = merge(before as unknown as JsonObject, change as JsonObject) as unknown as Item
  const { metadata } = merged
  const generation = (metadata.generation ?? 0) + ('spec' in change ? 1 : 0)
  return { ...merged, metadata: { ...metadata, generation, resourceVersion: String(Number(before.metadata.resourceVersion) + 1) } }
}

/** Makes the pod run on the node, ready since the time in epoch milliseconds. */
export function works(world: MemoryWorkloads, pod: Pod, node = 'one', since: number = world.context.now()): Pod {
  const condition = { type: 'Ready', status: 'True', lastTransitionTime: timestamp(since) }
  const status = { phase: 'Running', conditions: [condition] }
  return world.edit(world.pods, `${pod.metadata.namespace}/${pod.metadata.name}`, { spec: { nodeName: node }, status })
}

/** Ends the program of the pod. */
export function ends(world: MemoryWorkloads, pod: Pod, phase: 'Succeeded' | 'Failed'): Pod {
  return world.edit(world.pods, `${pod.metadata.namespace}/${pod.metadata.name}`, { status: { phase, conditions: null } })
}

/** Returns the pods that are neither finished nor being deleted, in the order of their creation. */
export function activePods({ pods }: MemoryWorkloads): readonly Pod[] {
  return [...pods.items()].filter(
    (pod) => pod.metadata.deletionTimestamp === undefined && !/Succeeded|Failed/.test(pod.status?.phase ?? ''),
  )
}

/** Removes every terminating pod, as the kubelets do. */
export function letGo({ pods }: MemoryWorkloads): void {
  for (const pod of [...pods.items()])
    if (pod.metadata.deletionTimestamp !== undefined) pods.remove(`${pod.metadata.namespace}/${pod.metadata.name}`)
}
