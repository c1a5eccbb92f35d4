import type { PodPhase } from '../../shared/model/pod.ts'
import type { Resources } from '../../shared/model/resources.ts'
import type { KeyRows } from '../sync/trackerState.ts'
import { createInterned } from './interned.ts'
import type { SeenValues } from './readSeen.ts'

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

/** The pods as columns of numbers, in the rows that the tracker has for their keys: 16 bytes a pod. */
export interface PodColumns {
  put(key: string, pod: SeenValues['pod']): void
  remove(key: string): void
  rows(): Iterable<PodRow>
}

const PHASES: readonly PodPhase[] = ['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown']
const PHASE_BITS = 7
const READY = 8
const DAEMON = 16
/** Set in each row that holds a pod. */
const HELD = 32
const WIDTH = 4
const NO_REQUESTS: Resources = {}

export function createPodColumns(keys: KeyRows): PodColumns {
  const nodes = createInterned<string>()
  const owners = createInterned<string>()
  const requests = createInterned<Resources>()
  let cells = new Uint32Array(64 * WIDTH)

  function clear(row: number): void {
    const at = row * WIDTH
    nodes.release(cells[at] ?? 0)
    owners.release(cells[at + 1] ?? 0)
    requests.release(cells[at + 2] ?? 0)
    cells.fill(0, at, at + WIDTH)
  }

  const shared = (values: typeof nodes, text: string): number => (text === '' ? 0 : values.take(text, () => text))

  return {
    put(key, pod) {
      const row = keys.rowOf(key)
      if (row === undefined) return
      clear(row)
      cells = withRoom(cells, (row + 1) * WIDTH)
      const at = row * WIDTH
      cells[at] = shared(nodes, pod.nodeName ?? '')
      cells[at + 1] = shared(owners, ownerOf(key, pod))
      cells[at + 2] = requests.take(JSON.stringify(pod.requests), () => pod.requests)
      cells[at + 3] = flagsOf(pod)
    },
    remove(key) {
      const row = keys.rowOf(key)
      if (row !== undefined) clear(row)
    },
    *rows() {
      for (const [key, row] of keys.present()) {
        const at = row * WIDTH
        const flags = cells[at + 3] ?? 0
        if ((flags & HELD) === 0) continue
        yield {
          key,
          node: nodes.at(cells[at] ?? 0) ?? '',
          owner: ownerPath(key, owners.at(cells[at + 1] ?? 0)),
          phase: PHASES[flags & PHASE_BITS] ?? 'Unknown',
          isReady: (flags & READY) > 0,
          isDaemon: (flags & DAEMON) > 0,
          requests: requests.at(cells[at + 2] ?? 0) ?? NO_REQUESTS,
        }
      }
    },
  }
}

function withRoom(cells: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> {
  if (length <= cells.length) return cells
  const larger = new Uint32Array(2 ** Math.ceil(Math.log2(length)))
  larger.set(cells)
  return larger
}

function flagsOf({ phase, isUnready, owner }: SeenValues['pod']): number {
  const isReady = phase === 'Running' && isUnready !== true
  return HELD + PHASES.indexOf(phase) + (isReady ? READY : 0) + (owner?.kind === 'DaemonSet' ? DAEMON : 0)
}

/**
 * The owner as text that many pods share. It has no namespace, and only the length of a name with which the pod's name begins: almost all controllers
 * name their pods so, and a large cluster has very many ReplicaSets.
 */
function ownerOf(key: string, { owner }: SeenValues['pod']): string {
  if (owner === undefined) return ''
  const begins = key.startsWith(owner.name, key.indexOf('/') + 1)
  return `${owner.apiVersion} ${owner.kind.toLowerCase()}s ${begins ? owner.name.length : `/${owner.name}`}`
}

/** The owner as Karpenter prints it: a path of the API. */
function ownerPath(key: string, owner: string | undefined): string {
  if (owner === undefined) return ''
  const [apiVersion = '', kind = '', named = ''] = owner.split(' ')
  const slash = key.indexOf('/')
  const name = named.startsWith('/') ? named.slice(1) : key.slice(slash + 1, slash + 1 + Number(named))
  return `/apis/${apiVersion}/namespaces/${key.slice(0, slash)}/${kind}/${name}`
}
