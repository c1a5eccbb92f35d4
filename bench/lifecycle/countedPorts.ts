import type { ClusterDeps } from '../../shared/flows/deps/clusterDeps.ts'
import { Fault, problem } from '../../shared/model/problem.ts'
import { createRandom } from '../scheduling/random.ts'

/** What stands between the flows and the API server and Azure: it counts calls, and makes some of them fail while `failing` is above 0. */
export type CountedPorts = {
  readonly between: (deps: ClusterDeps) => ClusterDeps
  /** Calls since the last `begin`, by port and name: `api.patchClaim`. */
  readonly calls: ReadonlyMap<string, number>
  /** Forgets what was counted. Of the calls from now on this share fails: half of them are refused (429), of the others the answer is lost. */
  begin(failing?: number): void
}

const SEED = 20

export function createCountedPorts(): CountedPorts {
  const calls = new Map<string, number>()
  const random = createRandom(SEED)
  let share = 0

  async function call(name: string, make: () => Promise<unknown>): Promise<unknown> {
    calls.set(name, (calls.get(name) ?? 0) + 1)
    const drawn = random.next()
    if (drawn < share / 2) throw new Fault(name, problem('AZURE.THROTTLED', 'too many requests'))
    const answer = await make()
    if (drawn < share) throw new Fault(name, problem('KUBE.FAILED', 'the answer was lost'))
    return answer
  }

  function counted<Port extends object>(prefix: string, port: Port): Port {
    const wrapped = Object.entries(port).map(([name, method]: [string, unknown]) => [
      name,
      typeof method === 'function' ? (...args: unknown[]) => call(`${prefix}.${name}`, () => Promise.resolve(method(...args))) : method,
    ])
    return Object.fromEntries(wrapped)
  }

  return {
    between: (deps) => ({ ...deps, api: counted('api', deps.api), cloud: counted('cloud', deps.cloud) }),
    calls,
    begin(failing = 0) {
      calls.clear()
      share = failing
    },
  }
}
