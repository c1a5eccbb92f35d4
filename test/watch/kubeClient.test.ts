import { afterAll, beforeAll, describe } from 'vitest'
import { describeKubeClient } from '../conformance/kubeClient.ts'
import { type BusyPlane, CAN_START, startBusyPlane } from './busyPlane.ts'

const LIMIT_MS = 5 * 60_000
const MAPS = '/api/v1/namespaces/default/configmaps'
const why = CAN_START ? '' : ' (skipped: not built; npm run controlplane -- --build-only)'

describe.skipIf(!CAN_START)(`a real control plane${why}`, { timeout: LIMIT_MS }, () => {
  const signal = AbortSignal.timeout(LIMIT_MS)
  let busy: BusyPlane

  beforeAll(async () => {
    busy = await startBusyPlane(['default'], signal)
  }, LIMIT_MS)
  afterAll(() => busy?.close(), LIMIT_MS)

  describeKubeClient('the real API server', async () => {
    // One API server for all tests, each of which begins without objects.
    await busy.client.send({ method: 'DELETE', path: MAPS, query: { labelSelector: 'test=kubeclient' }, signal })
    const forgetVersions = async () => {
      await busy.compact()
      // The API server has a history of its own in memory, so it must restart too.
      await busy.plane.restartApiServer()
    }
    return { kubeconfig: busy.plane.kubeconfigFile, forgetVersions }
  })
})
