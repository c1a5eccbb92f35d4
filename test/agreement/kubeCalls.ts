/** The calls that create and remove the objects of test clusters on a real API server. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { KubeClient, KubeRequest } from '../../local/cluster/client/kubeClient.ts'

const AT_ONCE = 8
export const PAUSE_MS = 100

export type Call = Omit<KubeRequest, 'signal'>

export interface KubeCalls {
  /** Throws the API server's message if the API server refuses. */
  call<Answer>(request: Call): Promise<Answer>
  list<Item>(path: string): Promise<readonly Item[]>
  create(path: string, bodies: readonly object[]): Promise<void>
  /** Objects that no longer exist are not an error. */
  remove(paths: readonly string[]): Promise<void>
  until(holds: () => Promise<boolean>): Promise<void>
}

export function createKubeCalls(client: KubeClient, signal: AbortSignal): KubeCalls {
  async function call<Answer>(request: Call): Promise<Answer> {
    for (;;) {
      const answer = await client.send<Answer>({ ...request, signal })
      if (answer.ok) return answer.value
      // The default service account of the namespace appears a moment after the control plane.
      const isEarly = answer.error.code === 403 && answer.error.message.includes('serviceaccount')
      if (!isEarly) throw new Error(`${request.method} ${request.path}: ${answer.error.message}`)
      await sleep(PAUSE_MS, undefined, { signal })
    }
  }
  return {
    call,
    list: async <Item>(path: string) => (await call<{ items: readonly Item[] }>({ method: 'GET', path })).items,
    create: (path, bodies) => eachOf(bodies, (body) => call({ method: 'POST', path, body })),
    remove: (paths) =>
      eachOf(paths, async (path) => {
        const answer = await client.send({ method: 'DELETE', path, query: { gracePeriodSeconds: '0' }, signal })
        if (!answer.ok && answer.error.code !== 404) throw new Error(`DELETE ${path}: ${answer.error.message}`)
      }),
    async until(holds) {
      while (!(await holds())) await sleep(PAUSE_MS, undefined, { signal })
    },
  }
}

async function eachOf<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<void> {
  const rest = [...items]
  const worker = async (): Promise<void> => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}
