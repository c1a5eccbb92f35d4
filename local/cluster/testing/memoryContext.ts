import { ok } from '../../../shared/base/result.ts'
import { defined } from '../../../shared/base/values.ts'
import type { JsonObject } from '../../kubernetes/object/json.ts'
import { mergeShapeOf } from '../../kubernetes/patch/mergeKeys.ts'
import { strategicMerge } from '../../kubernetes/patch/strategicMerge.ts'
import type { KubeApi } from '../client/api.ts'
import type { ChangeListener, Informer } from '../client/informer.ts'
import { type Lease, type Node, objectKeyOf, type Pod, type Stored } from '../client/objects.ts'
import type { Resource } from '../client/resource.ts'
import type { ControllerContext, Informers } from '../context.ts'
import { createEventRecorder } from '../eventRecorder.ts'

// The environment of a controller in memory: objects that a test puts there, and all writes, counted and applied.

export type MemoryContext = {
  readonly context: ControllerContext
  readonly pods: MemoryInformer<Pod>
  readonly nodes: MemoryInformer<Node>
  readonly leases: MemoryInformer<Lease>
  /** Objects of all other kinds. */
  readonly others: MemoryInformer<Stored>
  /** Every write so far, such as `POST events` and `PATCH pods/web-1`. */
  readonly writes: readonly string[]
  /** The bodies of the writes, in their order. */
  readonly bodies: readonly object[]
}

export type MemoryInformer<Item extends Stored> = Informer<Item> & { put(item: Item): void; remove(key: string): void }

/**
 * An API server that accepts every write, one after another, each in `answerMs`. Informers show a pod's patched status, its binding and its end,
 * and the writes of nodes, as a watch would.
 */
export function memoryContext({ answerMs = 0 }: { readonly answerMs?: number } = {}): MemoryContext {
  const pods = memoryInformer<Pod>()
  const nodes = memoryInformer<Node>()
  const leases = memoryInformer<Lease>()
  const none = memoryInformer<Stored>()
  const writes: string[] = []
  const bodies: object[] = []
  let last = Promise.resolve()
  const turn = (write: string, body: object): Promise<void> => {
    writes.push(write)
    bodies.push(body)
    last = last.then(() => (answerMs === 0 ? undefined : new Promise((resolve) => setTimeout(resolve, answerMs))))
    return last
  }
  const api: Pick<KubeApi, 'create' | 'patch' | 'post' | 'remove'> = {
    create: async <Item extends Stored>(resource: Resource<Item>, object: object) => {
      await turn(`POST ${resource.plural}`, object)
      return ok(object as Item)
    },
    patch: async <Item extends Stored>(
      resource: Resource<Item>,
      ref: { readonly name: string; readonly namespace?: string },
      patch: object,
    ) => {
      await turn(`PATCH ${resource.plural}/${ref.name}`, patch)
      if (resource.plural === 'nodes') return ok(patchedNode(nodes, ref.name, patch) as Stored as Item)
      if (resource.plural !== 'pods') return ok(patch as Item)
      const pod = patchedPod(pods, `${ref.namespace}/${ref.name}`, patch)
      return ok(pod as Stored as Item)
    },
    post: async (path, body) => {
      const [, namespace, name] = /namespaces\/([^/]+)\/pods\/([^/]+)\/binding/.exec(path) ?? []
      await turn(`POST binding of ${name}`, body)
      const pod = pods.get(`${namespace}/${name}`)
      if (pod !== undefined) pods.put(newer(pod, { spec: { ...pod.spec, nodeName: (body as { target: { name: string } }).target.name } }))
      return ok(body)
    },
    remove: async (resource, { namespace, name }, preconditions) => {
      await turn(`DELETE ${resource.plural}/${name}`, { ...preconditions })
      pods.remove(`${namespace}/${name}`)
      return ok(undefined)
    },
  }
  const informers = {
    pods: () => pods,
    nodes: () => nodes,
    leases: () => leases,
    namespaces: () => none,
    of: () => none,
  } as unknown as Informers
  const events = createEventRecorder(api as KubeApi, 'test', () => undefined)
  const context = { api: api as KubeApi, events, informers, log: () => undefined, now: Date.now, speed: 1 }
  return { context, pods, nodes, leases, others: none, writes, bodies }
}

function patchedPod(pods: MemoryInformer<Pod>, key: string, patch: object): Pod | undefined {
  const pod = pods.get(key)
  if (pod === undefined) return undefined
  const { status } = strategic('pods', pod, patch)
  const next = newer(pod, defined({ status }))
  pods.put(next)
  return next
}

function patchedNode(nodes: MemoryInformer<Node>, name: string, patch: object): Node | undefined {
  const node = nodes.get(name)
  if (node === undefined) return undefined
  const { spec, status } = strategic('nodes', node, patch)
  const next = newer(node, defined({ spec, status }))
  nodes.put(next)
  return next
}

/** The object after a strategic merge patch, as the API server merges it. */
function strategic<Item extends Stored>(plural: string, item: Item, patch: object): Item {
  return strategicMerge(item as unknown as JsonObject, patch as JsonObject, mergeShapeOf(plural)) as unknown as Item
}

function newer<Item extends Stored>(item: Item, change: Partial<Item>): Item {
  return { ...item, ...change, metadata: { ...item.metadata, resourceVersion: String(Number(item.metadata.resourceVersion) + 1) } }
}

export function memoryInformer<Item extends Stored>(): MemoryInformer<Item> {
  const items = new Map<string, Item>()
  const listeners: ChangeListener<Item>[] = []
  const put = (item: Item): void => {
    const before = items.get(objectKeyOf(item))
    if (before !== undefined && Number(before.metadata.resourceVersion) >= Number(item.metadata.resourceVersion)) return
    items.set(objectKeyOf(item), item)
    for (const listener of listeners) listener(item, before)
  }
  const remove = (key: string): void => {
    const before = items.get(key)
    items.delete(key)
    if (before !== undefined) for (const listener of listeners) listener(undefined, before)
  }
  return {
    synced: Promise.resolve(),
    get: (key) => items.get(key),
    items: () => items.values(),
    onChange: (listener) => {
      listeners.push(listener)
      for (const item of items.values()) listener(item, undefined)
    },
    observe: put,
    forget: (item) => remove(objectKeyOf(item)),
    close: () => undefined,
    put,
    remove,
  }
}
