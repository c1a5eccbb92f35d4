import { afterAll, beforeAll, describe, it } from 'vitest'
import { CACHE, isBuilt } from '../../local/controlplane/binaries.ts'
import { type Environment, openEnvironment } from './environment.ts'
import { planOf } from './plan.ts'
import { playSeed } from './playSeed.ts'
import { seedsOn, WHY_NO_SEEDS } from './seeds.ts'

/** Building a control plane takes minutes, so the test only uses one that is built. */
const IS_BUILT = isBuilt({ assets: process.env['KUBEBUILDER_ASSETS'], cache: CACHE })
const TEST_TIMEOUT_MS = 900_000
const WHY_NOT = 'skipped: no programs of a control plane; npm run controlplane -- --build-only'

/** Plays one seed after another in one environment. Each seed ends with an empty cluster, so the next one begins with an empty cluster. */
export function chaosOn(kind: 'embedded' | 'real', number: number): void {
  const seeds = seedsOn(kind, number)
  const whyNot = kind === 'real' && !IS_BUILT ? WHY_NOT : seeds.length === 0 ? WHY_NO_SEEDS : undefined
  describe.skipIf(whyNot !== undefined)(
    `killed processes and cut connections, on ${kind} Kubernetes ${number}${whyNot === undefined ? '' : ` (${whyNot})`}`,
    { timeout: TEST_TIMEOUT_MS },
    () => {
      let environment: Environment | undefined
      beforeAll(async () => {
        environment = await openEnvironment(kind)
      }, TEST_TIMEOUT_MS)
      afterAll(() => environment?.close(), TEST_TIMEOUT_MS)
      it.each(whyNot === undefined ? seeds : [0])(
        'leave every pod running, no machine made twice and nothing behind: seed %i',
        async (seed) => {
          if (environment === undefined) throw new Error('the environment is not open')
          const { machines, restMs, endMs } = await playSeed(environment, planOf(seed))
          console.log(`seed ${seed}: ${machines} machines, at rest after ${restMs} ms, gone after ${endMs} ms`)
        },
      )
    },
  )
}
