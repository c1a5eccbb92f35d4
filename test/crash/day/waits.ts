import type { MemoryWorld } from '../../../shared/adapters/memory/memoryWorld.ts'

/** How long a pod had no node: until now, until it got `node`, or until it was deleted. */
export type Wait = { readonly pod: string; readonly ms: number; readonly node?: string | undefined }

export type Waits = {
  /** The pods that have no node now. */
  now(): readonly Wait[]
  /** The exact waits that ended since the last call. */
  ended(): readonly Wait[]
}

export function createWaits({ objects, clock }: MemoryWorld): Waits {
  const waiting = new Map<string, number>()
  let ended: Wait[] = []

  function see(key: string): void {
    const pod = objects.get('pod', key)
    const isWaiting = pod !== undefined && pod.nodeName === undefined && pod.deletedAt === undefined
    const since = waiting.get(key)
    if (isWaiting) waiting.set(key, pod.createdAt)
    else if (since !== undefined && waiting.delete(key)) ended.push({ pod: key, ms: clock.now() - since, node: pod?.nodeName })
  }

  objects.listen(({ kind, key }) => {
    if (kind === 'pod') see(key)
  })
  return {
    now: () => [...waiting].map(([pod, since]) => ({ pod, ms: clock.now() - since })),
    ended() {
      const waits = ended
      ended = []
      return waits
    },
  }
}
