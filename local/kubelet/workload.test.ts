import { describe, expect, it } from 'vitest'
import { DAEMON_SETS, DEPLOYMENTS, JOBS, NODES, PODS } from '../cluster/client/resource.ts'
import { conditionOf, isReady } from '../cluster/podState.ts'
import { type TestCluster, withCluster } from './testing/withCluster.ts'

const deployment = (replicas: number, parts: { image?: string; cpu?: string; spec?: object } = {}) => ({
  metadata: { name: 'inflate', namespace: 'default' },
  spec: {
    replicas,
    selector: { matchLabels: { app: 'inflate' } },
    template: {
      metadata: { labels: { app: 'inflate' } },
      spec: {
        tolerations: [{ key: 'karpenter.sh/unregistered', operator: 'Exists' }],
        containers: [{ name: 'main', image: parts.image ?? 'pause:3.6', resources: { requests: { cpu: parts.cpu ?? '1' } } }],
        ...parts.spec,
      },
    },
  },
})

const podsOf = async ({ api }: TestCluster) => {
  const list = await api.list(PODS)
  return list.ok ? list.value.items : []
}
const runningPods = async (cluster: TestCluster) => (await podsOf(cluster)).filter(isReady)

describe('workloads on simulated machines', () => {
  it('a deployment waits for a node, runs on it, scales and goes', async () => {
    await withCluster({}, async (cluster) => {
      await cluster.api.create(DEPLOYMENTS, deployment(3), 'default')
      const waiting = await cluster.until('three unschedulable pods', async () => {
        const conditions = (await podsOf(cluster)).flatMap((pod) => conditionOf(pod, 'PodScheduled') ?? [])
        return conditions.length === 3 && conditions
      })
      expect(waiting.map(({ status, reason, message }) => [status, reason, message])).toEqual(
        Array.from({ length: 3 }, () => ['False', 'Unschedulable', 'no nodes available to schedule pods']),
      )
      cluster.boot('joiner-one')
      await cluster.until('three running pods', async () => (await runningPods(cluster)).length === 3)
      const available = await cluster.until('the deployment available', async () => {
        const seen = await cluster.api.get(DEPLOYMENTS, { namespace: 'default', name: 'inflate' })
        return seen.ok && seen.value.status?.availableReplicas === 3 && seen.value
      })
      expect(available.status?.conditions?.map(({ type, status, reason }) => [type, status, reason]).sort()).toEqual([
        ['Available', 'True', 'MinimumReplicasAvailable'],
        ['Progressing', 'True', 'NewReplicaSetAvailable'],
      ])
      await cluster.api.patch(DEPLOYMENTS, { namespace: 'default', name: 'inflate' }, { spec: { replicas: 10 } }, 'merge')
      const left = await cluster.until('the rest said to be too much', async () => {
        const refused = (await podsOf(cluster)).flatMap((pod) => conditionOf(pod, 'PodScheduled')?.message ?? [])
        return refused.length === 3 && (await runningPods(cluster)).length === 7 && refused
      })
      expect(left[0]).toBe('0/1 nodes are available: 1 Insufficient cpu.')
      await cluster.api.patch(DEPLOYMENTS, { namespace: 'default', name: 'inflate' }, { spec: { replicas: 0 } }, 'merge')
      await cluster.until('no pods', async () => (await podsOf(cluster)).length === 0)
    })
  })

  it('pods have a speed of their own', async () => {
    // At the speed of the machine, the pod would start after an hour and a half.
    const kubelets = () => ({ podSpeed: 20_000_000, times: { startMs: 100_000_000 } })
    await withCluster({ speed: 20, kubelets }, async (cluster) => {
      cluster.boot('joiner-one')
      await cluster.api.create(DEPLOYMENTS, deployment(1), 'default')
      await cluster.until('a running pod', async () => (await runningPods(cluster)).length === 1)
    })
  })
})

const TOLERANT = { tolerations: [{ key: 'karpenter.sh/unregistered', operator: 'Exists' }] }
const pod = (name: string, parts: { spec?: object; annotations?: object } = {}) => ({
  metadata: { name, namespace: 'default', annotations: parts.annotations ?? {} },
  spec: { ...TOLERANT, containers: [{ name: 'main', image: 'pause:3.6' }], ...parts.spec },
})

describe('rollouts', () => {
  it('a new template replaces the pods without going below what must run', async () => {
    await withCluster({}, async (cluster) => {
      cluster.boot('joiner-one')
      const strategy = { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
      const first = deployment(3)
      await cluster.api.create(DEPLOYMENTS, { ...first, spec: { ...first.spec, strategy } }, 'default')
      await cluster.until('three running pods', async () => (await runningPods(cluster)).length === 3)
      const ref = { namespace: 'default', name: 'inflate' }
      const containers = [{ name: 'main', image: 'pause:3.9', resources: { requests: { cpu: '1' } } }]
      await cluster.api.patch(DEPLOYMENTS, ref, { spec: { template: { spec: { containers } } } }, 'merge')
      let least = 3
      let most = 3
      await cluster.until('three new pods', async () => {
        const running = (await podsOf(cluster)).filter((each) => isReady(each) && each.metadata.deletionTimestamp === undefined)
        least = Math.min(least, running.length)
        most = Math.max(most, running.length)
        return running.length === 3 && running.every((each) => each.spec.containers[0]?.image === 'pause:3.9')
      })
      expect({ least, withinSurge: most <= 4 }).toEqual({ least: 3, withinSurge: true })
      const seen = await cluster.until('the rollout complete', async () => {
        const answer = await cluster.api.get(DEPLOYMENTS, ref)
        return answer.ok && answer.value.status?.updatedReplicas === 3 && answer.value.status.replicas === 3 && answer.value
      })
      expect(seen.metadata.annotations?.['deployment.kubernetes.io/revision']).toBe('2')
    })
  })

  it('a daemon set runs on every node that joins, before others may', async () => {
    await withCluster({}, async (cluster) => {
      const template = { metadata: { labels: { app: 'agent' } }, spec: { ...TOLERANT, containers: [{ name: 'main', image: 'agent' }] } }
      const spec = { selector: { matchLabels: { app: 'agent' } }, template }
      await cluster.api.create(DAEMON_SETS, { metadata: { name: 'agent', namespace: 'kube-system' }, spec }, 'kube-system')
      cluster.boot('joiner-one')
      cluster.boot('joiner-two')
      await cluster.until('a daemon pod on each', async () => {
        const names = (await runningPods(cluster)).map((each) => each.spec.nodeName)
        return names.length === 2 && names.includes('joiner-one') && names.includes('joiner-two')
      })
      await cluster.until('its status', async () => {
        const answer = await cluster.api.get(DAEMON_SETS, { namespace: 'kube-system', name: 'agent' })
        return answer.ok && answer.value.status?.numberAvailable === 2 && answer.value.status.desiredNumberScheduled === 2
      })
    })
  })

  it('a job runs to its end', async () => {
    await withCluster({}, async (cluster) => {
      cluster.boot('joiner-one')
      const template = { spec: { ...TOLERANT, restartPolicy: 'Never', containers: [{ name: 'main', image: 'work' }] } }
      const spec = { completions: 3, parallelism: 2, template }
      await cluster.api.create(JOBS, { metadata: { name: 'work', namespace: 'default' }, spec }, 'default')
      const job = await cluster.until('the end', async () => {
        const answer = await cluster.api.get(JOBS, { namespace: 'default', name: 'work' })
        return answer.ok && answer.value.status?.conditions?.some(({ type }) => type === 'Complete') === true && answer.value
      })
      expect(job.status).toMatchObject({ succeeded: 3, failed: 0, active: 0 })
    })
  })

  it('a job that keeps failing is given up', async () => {
    await withCluster({}, async (cluster) => {
      cluster.boot('joiner-one')
      const template = {
        metadata: { annotations: { 'local.joiner.dev/exit-code': '1', 'local.joiner.dev/run-for': '100ms' } },
        spec: { ...TOLERANT, restartPolicy: 'Never', containers: [{ name: 'main', image: 'work' }] },
      }
      await cluster.api.create(JOBS, { metadata: { name: 'work', namespace: 'default' }, spec: { backoffLimit: 1, template } }, 'default')
      await cluster.until('the failure', async () => {
        const answer = await cluster.api.get(JOBS, { namespace: 'default', name: 'work' })
        return (
          answer.ok &&
          answer.value.status?.conditions?.some(({ type, reason }) => type === 'Failed' && reason === 'BackoffLimitExceeded') === true
        )
      })
    })
  })
})

describe('pods that must go', () => {
  const evict = (cluster: TestCluster, name: string) =>
    cluster.api.post(`/api/v1/namespaces/default/pods/${name}/eviction`, {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name, namespace: 'default' },
    })

  it('an evicted pod stops in its own time and is then gone', async () => {
    await withCluster({}, async (cluster) => {
      cluster.boot('joiner-one')
      await cluster.api.create(PODS, pod('one', { annotations: { 'local.joiner.dev/stop-after': '4s' } }), 'default')
      await cluster.until('it running', async () => (await runningPods(cluster)).length === 1)
      expect((await evict(cluster, 'one')).ok).toBe(true)
      const [ending] = await podsOf(cluster)
      expect([ending?.metadata.deletionTimestamp !== undefined, ending?.status?.phase]).toEqual([true, 'Running'])
      await cluster.until('no pod', async () => (await podsOf(cluster)).length === 0)
    })
  })

  it('a pod of a drained node moves to another', async () => {
    await withCluster({}, async (cluster) => {
      cluster.boot('joiner-one')
      await cluster.api.create(DEPLOYMENTS, deployment(2), 'default')
      await cluster.until('two running pods', async () => (await runningPods(cluster)).length === 2)
      cluster.boot('joiner-two')
      await cluster.until('the other node', async () => (await cluster.api.get(NODES, { name: 'joiner-two' })).ok)
      await cluster.api.patch(NODES, { name: 'joiner-one' }, { spec: { unschedulable: true } }, 'merge')
      for (const each of await podsOf(cluster)) await evict(cluster, each.metadata.name)
      await cluster.until('both on the other node', async () => {
        const running = await runningPods(cluster)
        return running.length === 2 && running.every((each) => each.spec.nodeName === 'joiner-two')
      })
    })
  })

  it('a NoExecute taint drives pods away, but not those that tolerate it', async () => {
    await withCluster({}, async (cluster) => {
      cluster.boot('joiner-one')
      await cluster.api.create(PODS, pod('fragile'), 'default')
      await cluster.api.create(PODS, pod('tough', { spec: { tolerations: [{ operator: 'Exists' }] } }), 'default')
      await cluster.until('both running', async () => (await runningPods(cluster)).length === 2)
      const taints = [{ key: 'maintenance', effect: 'NoExecute' }]
      await cluster.api.patch(NODES, { name: 'joiner-one' }, { spec: { taints } }, 'merge')
      await cluster.until('one left', async () => (await podsOf(cluster)).map(({ metadata }) => metadata.name).join() === 'tough')
    })
  })

  it('pods of a machine that ended are cleared away and made anew elsewhere', async () => {
    await withCluster({}, async (cluster) => {
      cluster.boot('joiner-one')
      await cluster.api.create(DEPLOYMENTS, deployment(2), 'default')
      await cluster.until('two running pods', async () => (await runningPods(cluster)).length === 2)
      cluster.machines.stop('joiner-one')
      cluster.boot('joiner-two')
      await cluster.until('two pods on the other node', async () => {
        const all = await podsOf(cluster)
        return all.length === 2 && all.every((each) => isReady(each) && each.spec.nodeName === 'joiner-two')
      })
    })
  })

  it('all goes on after the API server was away', async () => {
    await withCluster({}, async (cluster) => {
      cluster.boot('joiner-one')
      await cluster.api.create(DEPLOYMENTS, deployment(1), 'default')
      await cluster.until('a running pod', async () => (await runningPods(cluster)).length === 1)
      await cluster.kubernetes.restart()
      await cluster.api.patch(DEPLOYMENTS, { namespace: 'default', name: 'inflate' }, { spec: { replicas: 3 } }, 'merge')
      await cluster.until('three running pods', async () => (await runningPods(cluster)).length === 3)
    })
  })
})

describe('a node of a simulated machine', () => {
  it('has the labels, taints, amounts and provider id of its machine and flags', async () => {
    await withCluster({}, async (cluster) => {
      cluster.boot('joiner-one')
      const node = await cluster.until('a ready node that is let in', async () => {
        const seen = await cluster.api.get(NODES, { name: 'joiner-one' })
        const ready = seen.ok && seen.value.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True')
        return ready && seen.value.spec.taints?.length === 1 && seen.value
      })
      expect(node.spec.providerID).toBe(
        'azure:///subscriptions/s/resourceGroups/mc_group/providers/Microsoft.Compute/virtualMachines/joiner-one',
      )
      expect(node.spec.taints).toEqual([{ key: 'karpenter.sh/unregistered', effect: 'NoExecute' }])
      expect(node.metadata.labels).toMatchObject({
        'karpenter.sh/nodepool': 'default',
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/hostname': 'joiner-one',
        'node.kubernetes.io/instance-type': 'Standard_D8s_v5',
        'topology.kubernetes.io/zone': 'eastus-1',
      })
      expect(node.status?.allocatable).toMatchObject({ cpu: '7820m', pods: '110' })
      expect(node.status?.nodeInfo?.kubeletVersion).toBe('v1.34.2')
    })
  })
})
