import { describe, expect, it } from 'vitest'
import type { Deployment, Job } from '../../local/cluster/client/objects.ts'
import { container, DAEMON_SET_PATH, DEPLOYMENT_PATH, deployment, JOB_PATH, POOL_PATH, poolNamed } from './clusterObjects.ts'
import type { Environment } from './environment.ts'
import { onEachCluster } from './onCluster.ts'
import { until } from './until.ts'
import { nodes } from './waits.ts'

onEachCluster('workloads', scenarios)

function scenarios(environment: () => Environment): void {
  describe('a deployment whose pods are replaced', () => {
    it('rolls over: machines for what is added, none for what went', async () => {
      await environment().scale('app', 2)
      await environment().settle(2)
      await environment().patch(`${DEPLOYMENT_PATH}/app`, { spec: { template: { metadata: { annotations: { round: '2' } } } } })
      await until(async () => {
        const { metadata, status } = (await environment().get<Deployment>(`${DEPLOYMENT_PATH}/app`)) ?? {}
        const isDone = status?.observedGeneration === metadata?.generation && status?.updatedReplicas === 2 && status.replicas === 2
        return isDone ? undefined : `the deployment is at ${JSON.stringify(status)}`
      })
      await environment().settle(2)
      // The rollout adds a pod before it removes one. The second new pod may fit on the machine that the first old pod left.
      expect([3, 4]).toContain(environment().machinesMade().length)
    })
  })

  describe('a job', () => {
    it('runs to its end, and its machines go with it', async () => {
      const pod = { restartPolicy: 'Never', containers: [container('1500m')] }
      const spec = {
        completions: 2,
        parallelism: 2,
        template: { metadata: { annotations: { 'local.joiner.dev/run-for': '20s' } }, spec: pod },
      }
      await environment().make(JOB_PATH, { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'sums' }, spec })
      await until(async () => {
        const status = (await environment().get<Job>(`${JOB_PATH}/sums`))?.status
        return status?.succeeded === 2 ? undefined : `the job is at ${JSON.stringify(status)}`
      })
      expect(environment().machinesMade()).toHaveLength(2)
      await environment().settle(0)
    })
  })

  describe('a daemon set', () => {
    const WIDE = { team: 'wide' }
    const daemons = {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'agent' },
      spec: {
        selector: { matchLabels: { app: 'agent' } },
        template: { metadata: { labels: { app: 'agent' } }, spec: { terminationGracePeriodSeconds: 0, containers: [container('1')] } },
      },
    }

    it.each([
      ['nothing of it runs', [], ['4'], 1],
      ['its pods take their part', [daemons], ['8'], 2],
    ])('is counted before a machine is chosen: %s', async (_name, sets, sizes, pods) => {
      await environment().make(POOL_PATH, poolNamed('wide', { cpus: ['4', '8'], labels: WIDE }))
      for (const set of sets) await environment().make(DAEMON_SET_PATH, set)
      await environment().make(DEPLOYMENT_PATH, deployment('wide', 1, { nodeSelector: WIDE, containers: [container('3')] }))
      await environment().settle(pods)
      const cpus = (await nodes(environment())).map(({ metadata }) => metadata.labels?.['karpenter.azure.com/sku-cpu'])
      expect(cpus).toEqual(sizes)
      expect(environment().machinesMade()).toHaveLength(sizes.length)
    })
  })
}
