/** Smoke runs beside a deployed app: the whole stack, whose app makes and replaces machines. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Child } from '../../local/stack/child.ts'
import { startSpotShim } from '../../local/stack/shimProcess.ts'
import { startStack } from '../../local/stack/startStack.ts'
import { ownEverything } from './armCall.ts'
import { CALLER } from './harness.ts'
import { createSmokePrograms, type SmokePrograms } from './smokePrograms.ts'
import { createSmokeRuns, type SmokeRuns } from './smokeWorld.ts'

/** A machine goes ten seconds after its notice. On a busy computer, the program of a pod needs most of them to see the notice and to end. */
const SPEED = 3
/** The app has real seconds where the command waits for emulated ones: two minutes are half a minute. */
const HURRY = 4
/** The name of the app in the environment. */
export const APP = 'func-joiner-local'

export type SmokeAppWorld = Awaited<ReturnType<typeof startSmokeAppWorld>>

export async function startSmokeAppWorld() {
  const directory = mkdtempSync(join(tmpdir(), 'joiner-smoke-app-'))
  const held: { programs?: SmokePrograms } = {}
  const ignore = (): void => undefined
  const stack = await startStack({
    speed: SPEED,
    directory,
    kubernetesPort: 0,
    functionsPort: 0,
    programsOn: (machine) => (pod) => held.programs?.on(machine)(pod),
    onAppLine: ignore,
    onShimLine: ignore,
  })
  const { azure, kubernetes, endpoints } = stack
  held.programs = createSmokePrograms(azure)
  ownEverything(azure)
  azure.access.assign('smoke', { principalId: CALLER, roleId: 'owner', scope: `/subscriptions/${azure.subscriptionId}` })
  const { token = '' } = kubernetes.source as { readonly token?: string }
  const grounds = { url: kubernetes.url, caCertificate: kubernetes.caCertificate, adminToken: token }
  const runs = createSmokeRuns({ azure, kubernetes: grounds, hurry: HURRY })
  await runs.bind(true)
  const watchers = watchSpot()

  /** The chart runs a watcher on each spot node. */
  function watchSpot() {
    const running = new Map<string, Child>()
    const at = { azure, directory, caFile: join(directory, 'ca.pem'), onLine: ignore, onNotice: ignore }
    const stop = azure.machines.listen({
      started: ({ name, priority, tags }) => {
        if (priority === 'Spot' && tags['karpenter.sh_nodepool']?.startsWith('smoke-'))
          running.set(name, startSpotShim({ ...at, node: name }))
      },
      stopped: ({ name }) => void running.get(name)?.stop(),
    })
    return {
      ready: () => Promise.all([...running.values()].map((child) => child.ready())),
      async close() {
        stop()
        await Promise.all([...running.values()].map((child) => child.stop()))
      },
    }
  }

  const environment = { JOINER_APP_NAME: APP, JOINER_APP_ENDPOINT: endpoints.functionsUrl }
  return {
    stack,
    left: runs.left,
    /** Runs smoke in the environment of the app. A notice finds the watcher of its machine at work. */
    run: (given: Parameters<SmokeRuns['run']>[0] = {}) =>
      runs.run({
        ...given,
        environment: { ...environment, ...given.environment },
        before: async (call) => {
          if (call.endsWith('/simulateEviction')) await watchers.ready()
          await given.before?.(call)
        },
      }),
    async close() {
      await watchers.close()
      await stack.close()
      held.programs?.close()
    },
  }
}
