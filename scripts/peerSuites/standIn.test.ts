import { describe, expect, it, onTestFinished } from 'vitest'
import { connectionFrom } from '../../local/cluster/client/connection.ts'
import { createKubeClient } from '../../local/cluster/client/kubeClient.ts'
import { type TestServer, withServer } from '../../local/kubernetes/testing/withServer.ts'
import { createOwnedParts } from '../../local/stack/ownedParts.ts'
import { eventually } from '../../test/builders/eventually.ts'
import { type StandIn, startStandIn } from './standIn.ts'
import type { AppSettings } from './translate.ts'

const PODS = '/api/v1/namespaces/kube-system/pods'
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/karpenter-leader-election'

type Restart = { readonly settings: AppSettings; readonly done: () => void }
type World = Pick<TestServer, 'call'> & { readonly restarts: Restart[]; readonly standIn: StandIn }

/** A pod as the Deployment makes it. */
function pod(name: string, env: object[]): object {
  return {
    metadata: { name, labels: { 'app.kubernetes.io/instance': 'karpenter' } },
    spec: { containers: [{ name: 'controller', image: 'joiner', env }] },
  }
}

/** Each restart waits until the test lets it be done. */
async function withStandIn(play: (world: World) => Promise<void>): Promise<void> {
  await withServer({}, async ({ server, call }) => {
    const client = createKubeClient(connectionFrom({ url: server.url, ca: server.caCertificate, token: server.adminToken }))
    const owner = createOwnedParts()
    onTestFinished(async () => {
      await owner.close()
      client.close()
    })
    const restarts: Restart[] = []
    const restart = (settings: AppSettings): Promise<void> => new Promise((done) => restarts.push({ settings, done }))
    const standIn = await startStandIn(owner, { client, restart })
    await play({ call, restarts, standIn })
    await owner.close()
  })
}

describe('the stand-in for the Deployment of Karpenter', () => {
  it('shows what the suites look for: one container with its environment, and a scheduler with the configuration', async () => {
    await withStandIn(async ({ call }) => {
      expect((await call('GET', '/apis/apps/v1/namespaces/kube-system/deployments/karpenter')).body).toMatchObject({
        spec: { template: { spec: { containers: [{ env: [{ name: 'FEATURE_GATES', value: 'NodeRepair=true' }] }] } } },
      })
      expect((await call('GET', `${PODS}?labelSelector=component%3Dkube-scheduler`)).body).toMatchObject({
        items: [
          {
            spec: { containers: [{ command: ['kube-scheduler', expect.stringContaining('karpenter-scheduler-config')] }] },
            status: { phase: 'Running' },
          },
        ],
      })
    })
  })

  it('lets a pod run, with the lease, once the app runs with the settings of the pod', async () => {
    await withStandIn(async ({ call, restarts }) => {
      await call('POST', PODS, pod('karpenter-a', [{ name: 'FEATURE_GATES', value: 'TerminateFirstDrift=true' }]))
      await eventually(() => expect(restarts).toHaveLength(1))
      expect(restarts[0]?.settings).toEqual({ NODE_REPAIR: 'off', TERMINATE_FIRST: 'drift' })
      expect((await call('GET', `${PODS}/karpenter-a`)).body).toMatchObject({ status: { phase: 'Pending' } })
      restarts[0]?.done()
      await eventually(async () =>
        expect((await call('GET', LEASE)).body).toMatchObject({ spec: { holderIdentity: 'karpenter-a_stand-in' } }),
      )
      await eventually(async () => expect((await call('GET', `${PODS}/karpenter-a`)).body).toMatchObject({ status: { phase: 'Running' } }))
    })
  })

  it('runs one pod after the other, without those that are gone by then', async () => {
    await withStandIn(async ({ call, restarts }) => {
      for (const name of ['karpenter-a', 'karpenter-b', 'karpenter-c']) await call('POST', PODS, pod(name, []))
      await eventually(() => expect(restarts).toHaveLength(1))
      await call('DELETE', `${PODS}/karpenter-b?gracePeriodSeconds=0`)
      restarts[0]?.done()
      await eventually(() => expect(restarts).toHaveLength(2))
      restarts[1]?.done()
      await eventually(async () =>
        expect((await call('GET', LEASE)).body).toMatchObject({ spec: { holderIdentity: 'karpenter-c_stand-in' } }),
      )
      expect(restarts).toHaveLength(2)
    })
  })

  it('fails at a variable that it does not know', async () => {
    await withStandIn(async ({ call, restarts, standIn }) => {
      await call('POST', PODS, pod('karpenter-a', [{ name: 'CPU_REQUESTS', value: '2' }]))
      await expect(standIn.failed).rejects.toThrow('variable CPU_REQUESTS')
      expect(restarts).toEqual([])
    })
  })
})
