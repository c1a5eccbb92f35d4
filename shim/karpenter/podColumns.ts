import type { Pod, PodPhase } from '../../shared/model/pod.ts'
import type { Resources } from '../../shared/model/resources.ts'
import { createInterned, type Interned } from './interned.ts'

/** What the metrics need of a pod. */
export type PodRow = {
  readonly key: string
  readonly node: string
  readonly owner: string
  readonly phase: PodPhase
  readonly isReady: boolean
  readonly isDaemon: boolean
  readonly requests: Resources
}

/** The pods as columns of numbers: 100,000 of them take a few megabytes. */
export interface PodColumns {
  readonly size: number
  put(key: string, pod: Pod): void
  remove(key: string): void
  keys(): Iterable<string>
  rows(): Iterable<PodRow>
}

const PHASES: readonly PodPhase[] = ['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown']
const READY = 8
const DAEMON = 16
const WIDTH = 4
const NO_REQUESTS: Resources = {}

export function createPodColumns(): PodColumns {
  const slots = new Map<string, number>()
  const free: number[] = []
  const nodes = createInterned<string>()
  const owners = createInterned<string>()
  const requests = createInterned<Resources>()
  let cells = new Uint32Array(64 * WIDTH)

  function release(slot: number): void {
    nodes.release(cells[slot * WIDTH] ?? 0)
    owners.release(cells[slot * WIDTH + 1] ?? 0)
    requests.release(cells[slot * WIDTH + 2] ?? 0)
  }

  function slotFor(key: string): number {
    const present = slots.get(key)
    if (present !== undefined) {
      release(present)
      return present
    }
    const slot = free.pop() ?? slots.size
    if ((slot + 1) * WIDTH > cells.length) {
      const larger = new Uint32Array(cells.length * 2)
      larger.set(cells)
      cells = larger
    }
    slots.set(key, slot)
    return slot
  }

  const shared = (values: typeof nodes, text: string): number => (text === '' ? 0 : values.take(text, () => text))

  return {
    get size() {
      return slots.size
    },
    put(key, pod) {
      const slot = slotFor(key)
      const isReady = pod.phase === 'Running' && pod.isUnready !== true
      const flags = PHASES.indexOf(pod.phase) + (isReady ? READY : 0) + (pod.owner?.kind === 'DaemonSet' ? DAEMON : 0)
      const ids = [
        shared(nodes, pod.nodeName ?? ''),
        shared(owners, ownerOf(pod)),
        requests.take(JSON.stringify(pod.requests), () => pod.requests),
      ]
      cells.set([...ids, flags], slot * WIDTH)
    },
    remove(key) {
      const slot = slots.get(key)
      if (slot === undefined) return
      release(slot)
      slots.delete(key)
      free.push(slot)
    },
    keys: () => slots.keys(),
    *rows() {
      for (const [key, slot] of slots) yield rowOf(key, cells.subarray(slot * WIDTH, (slot + 1) * WIDTH), { nodes, owners, requests })
    },
  }
}

type Shared = { readonly nodes: Interned<string>; readonly owners: Interned<string>; readonly requests: Interned<Resources> }

function rowOf(key: string, cells: Uint32Array, { nodes, owners, requests }: Shared): PodRow {
  const flags = cells[3] ?? 0
  return {
    key,
    node: nodes.at(cells[0] ?? 0) ?? '',
    owner: ownerPath(key, owners.at(cells[1] ?? 0)),
    phase: PHASES[flags % READY] ?? 'Unknown',
    isReady: (flags & READY) > 0,
    isDaemon: (flags & DAEMON) > 0,
    requests: requests.at(cells[2] ?? 0) ?? NO_REQUESTS,
  }
}

/** The owner without the namespace, so that pods of several namespaces share the text. */
function ownerOf({ owner }: Pod): string {
  return owner === undefined ? '' : `${owner.apiVersion} ${owner.kind.toLowerCase()}s/${owner.name}`
}

/** The owner as Karpenter prints it: a path of the API. */
function ownerPath(key: string, owner: string | undefined): string {
  if (owner === undefined) return ''
  const [apiVersion = '', rest = ''] = owner.split(' ')
  return `/apis/${apiVersion}/namespaces/${key.slice(0, key.indexOf('/'))}/${rest}`
}
