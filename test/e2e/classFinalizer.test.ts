import { describe, expect, it } from 'vitest'
import { CLASS_PATH, DEPLOYMENT_PATH, deployment, nodeClass, POOL_PATH, poolNamed } from './clusterObjects.ts'
import type { Environment } from './environment.ts'
import { onCluster } from './onCluster.ts'
import { until } from './until.ts'

onCluster('an aksnodeclass', scenarios)

const BLUE = { team: 'blue' }
const CLASS = `${CLASS_PATH}/blue`
const POOL = `${POOL_PATH}/blue`
const DEPLOYMENT = `${DEPLOYMENT_PATH}/app-blue`

type Class = { readonly metadata: { readonly uid: string; readonly finalizers?: readonly string[]; readonly deletionTimestamp?: string } }
type Events = {
  readonly items: readonly { readonly reason: string; readonly message: string; readonly involvedObject: { readonly uid: string } }[]
}

function scenarios(environment: () => Environment): void {
  const current = (): Promise<Class | undefined> => environment().get<Class>(CLASS)

  async function held(): Promise<void> {
    await until(async () =>
      (await current())?.metadata.finalizers?.includes('karpenter.azure.com/termination') ? undefined : 'the class has no finalizer',
    )
  }

  async function gone(): Promise<void> {
    await until(async () => ((await current()) === undefined ? undefined : 'the class is still there'))
  }

  describe('that is deleted', () => {
    it('goes at once if no NodeClaim refers to it', async () => {
      await environment().make(CLASS_PATH, nodeClass('blue'))
      await held()
      await environment().remove(CLASS)
      await gone()
    })

    it('NS-12 waits for its last NodeClaim, then goes', async () => {
      await environment().make(CLASS_PATH, nodeClass('blue'))
      await environment().make(POOL_PATH, poolNamed('blue', { labels: BLUE, nodeClass: 'blue' }))
      await environment().make(DEPLOYMENT_PATH, deployment('app-blue', 1, { nodeSelector: BLUE }))
      await environment().settle(1)
      await held()
      await environment().remove(CLASS)
      const { metadata } = (await current()) ?? expect.fail('the class is gone')
      expect(metadata.deletionTimestamp).toBeDefined()
      await until(async () => {
        const events = await environment().get<Events>('/api/v1/events')
        const waits = events?.items.some(
          ({ reason, involvedObject }) => reason === 'WaitingOnNodeClaimTermination' && involvedObject.uid === metadata.uid,
        )
        return waits ? undefined : 'no Event says what the class waits for'
      })
      await environment().remove(DEPLOYMENT)
      await environment().remove(POOL)
      await gone()
    })
  })
}
