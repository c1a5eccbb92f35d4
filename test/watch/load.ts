import { setTimeout as pause } from 'node:timers/promises'
import type { KubeClient, KubeRequest } from '../../local/cluster/client/kubeClient.ts'
import { createRandom } from '../agreement/random.ts'
import { type FleetPod, fleetNode, fleetPod, nodeName } from './fleet.ts'

/** The number of parallel requests that keep an API server on two cores busy. */
const AT_ONCE = 16
const AWAY_MS = 100
const MERGE = 'application/merge-patch+json'

/** A change as a watcher sees it: a pod with this round in its label, or a removed pod. */
export type Written = { readonly key: string; readonly what: number | 'gone'; readonly sentAt: number; readonly answeredAt: number }

export type ChangeOptions = {
  readonly changes: number
  /** Absent: as fast as possible. */
  readonly perSecond?: number
  /** The time limit in milliseconds. When it is reached, fewer changes are made. */
  readonly withinMs?: number
  readonly onWritten?: (written: Written) => void
}

/** Writes pods and nodes to an API server and changes them. Waits for an API server that is away. */
export interface Load {
  fill(): Promise<void>
  /** A reproducible mix of changes: labels, status, pods created, ended and deleted, nodes relabelled. Returns the number of changes. */
  change(options: ChangeOptions): Promise<number>
  /** Deletes this many pods as fast as possible and creates every fifth of them again with its old name. */
  storm(deletions: number): Promise<void>
  /** Takes some pods out of the load, so that nothing else changes them. */
  choose(count: number): readonly FleetPod[]
  /** Relabels the pods one after another. */
  touch(chosen: readonly FleetPod[]): Promise<void>
  remove(doomed: readonly FleetPod[]): Promise<unknown>
  relabelNodes(count: number): Promise<unknown>
}

export type LoadOptions = {
  readonly pods: number
  readonly nodes: number
  readonly seed: number
  /** The kubelet reports one pod of this many as running. The others only have a node. */
  readonly runningEvery: number
}

export function createLoad(client: KubeClient, { pods, nodes, seed, runningEvery }: LoadOptions, signal: AbortSignal): Load {
  const random = createRandom(seed)
  const alive: number[] = []
  const gone: number[] = []
  let next = pods
  let round = 0

  const pod = (index: number, inRound = 0): FleetPod => fleetPod(index, nodes, inRound)

  async function write(request: Omit<KubeRequest, 'signal'>): Promise<void> {
    for (;;) {
      const answer = await client.send({ ...request, signal })
      // 404 and 409: the change was made by a request whose answer was lost, or by another worker.
      if (answer.ok || answer.error.code === 404 || answer.error.code === 409) return
      if (answer.error.code > 0 && answer.error.code < 500 && answer.error.code !== 429) {
        throw new Error(`${request.method} ${request.path}: ${answer.error.message}`)
      }
      signal.throwIfAborted()
      await pause(AWAY_MS)
    }
  }

  async function timed(key: string, what: Written['what'], request: Omit<KubeRequest, 'signal'>): Promise<Written> {
    const sentAt = Date.now()
    await write(request)
    return { key, what, sentAt, answeredAt: Date.now() }
  }

  const patch = (path: string, body: object) => ({ method: 'PATCH' as const, path, body, contentType: MERGE })
  const patchStatus = (path: string, status: object) => write(patch(`${path}/status`, { status }))

  async function create(index: number): Promise<Written> {
    const inRound = ++round
    const made = pod(index, inRound)
    const written = await timed(made.key, inRound, { method: 'POST', path: made.collection, body: made.body })
    alive.push(index)
    return written
  }

  function relabel({ key, path }: FleetPod): Promise<Written> {
    const inRound = ++round
    return timed(key, inRound, patch(path, { metadata: { labels: { round: String(inRound) } } }))
  }

  /** Deletes the pod with a grace period of 0, so that no kubelet has to confirm. */
  function remove({ key, path }: FleetPod): Promise<Written> {
    return timed(key, 'gone', { method: 'DELETE', path, body: { gracePeriodSeconds: 0 } })
  }

  /** Ends the pod. The app treats an ended pod as removed. */
  function end(index: number): Promise<Written> {
    const { key, path } = pod(index)
    return timed(key, 'gone', patch(`${path}/status`, { status: { phase: 'Succeeded' } }))
  }

  function takeAlive(): number {
    const at = random.int(alive.length)
    const index = alive[at] ?? 0
    alive[at] = alive.at(-1) ?? 0
    alive.pop()
    return index
  }

  function relabelNode(): Promise<void> {
    return write(patch(`/api/v1/nodes/${nodeName(random.int(nodes))}`, { metadata: { labels: { round: String(++round) } } }))
  }

  async function makeOne(): Promise<Written> {
    const back = random.chance(0.3) ? gone.shift() : undefined
    return create(back ?? next++)
  }

  async function changeOne(): Promise<Written | undefined> {
    const dice = random.int(100)
    if (alive.length < pods / 2 || dice < 15) return makeOne()
    if (dice < 27) {
      const index = takeAlive()
      const written = await remove(pod(index))
      gone.push(index)
      return written
    }
    if (dice < 30) return end(takeAlive())
    if (dice < 40) return void (await patchStatus(pod(random.pick(alive)).path, pod(1).status))
    if (dice < 43) return void (await relabelNode())
    return relabel(pod(random.pick(alive)))
  }

  return {
    choose: (count) => Array.from({ length: count }, () => pod(takeAlive())),
    async touch(chosen) {
      for (const each of chosen) await relabel(each)
    },
    remove: (doomed) => inParallel(doomed.length, {}, async (at) => void (await Promise.all(doomed.slice(at, at + 1).map(remove)))),
    relabelNodes: (count) => inParallel(count, {}, relabelNode),
    async fill() {
      await inParallel(nodes, {}, async (index) => {
        const { body, status } = fleetNode(index)
        await write({ method: 'POST', path: '/api/v1/nodes', body })
        await patchStatus(`/api/v1/nodes/${nodeName(index)}`, status)
      })
      await inParallel(pods, {}, async (index) => {
        await create(index)
        const { path, status, isWaiting } = pod(index)
        if (isWaiting || index % runningEvery === 0) await patchStatus(path, status)
      })
    },
    change: ({ changes, onWritten, ...pace }) =>
      inParallel(changes, pace, async () => {
        const written = await changeOne()
        if (written) onWritten?.(written)
      }),
    async storm(deletions) {
      const doomed = Array.from({ length: Math.min(deletions, alive.length) }, takeAlive)
      await inParallel(doomed.length, {}, async (at) => {
        const index = doomed[at] ?? 0
        await remove(pod(index))
        if (at % 5 === 0) await create(index)
        else gone.push(index)
      })
    },
  }
}

type Pace = Pick<ChangeOptions, 'perSecond' | 'withinMs'>

/** Runs the work for 0 to `count` - 1, started in order and at the given rate. Returns the number of runs. */
async function inParallel(
  count: number,
  { perSecond = Number.POSITIVE_INFINITY, withinMs = Number.POSITIVE_INFINITY }: Pace,
  work: (index: number) => Promise<void>,
): Promise<number> {
  const start = performance.now()
  let taken = 0
  const worker = async (): Promise<void> => {
    while (taken < count && performance.now() - start < withinMs) {
      const index = taken++
      const early = start + (index / perSecond) * 1000 - performance.now()
      if (early > 0) await pause(early)
      await work(index)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return taken
}
