import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Pod } from '../../local/cluster/client/objects.ts'
import {
  ATTACHMENT_PATH,
  BUDGET_PATH,
  CLAIM_PATH,
  container,
  DAEMON_SET_PATH,
  DEPLOYMENT_PATH,
  deployment,
  POOL_PATH,
  poolNamed,
} from './clusterObjects.ts'
import type { Environment } from './environment.ts'
import { takeInventory } from './inventory.ts'
import { onCluster } from './onCluster.ts'
import { until } from './until.ts'
import { type Claim, type Listed, someClaim, whenSays } from './waits.ts'

onCluster('a drain', scenarios)

/** Probes of a pod that the emulated kubelet lets fail. */
const FAILING_PROBES = 'local.joiner.dev/failing-probes'
const HELD = { 'karpenter.sh/do-not-disrupt': 'true' }
const ANNOTATED = 'annotation karpenter.sh/do-not-disrupt'
const BLUE = { team: 'blue' }
/** Longer than an undisturbed drain and several attempts to evict. */
const SEVERAL_TRIES_MS = 8_000

function scenarios(environment: () => Environment): void {
  /** Deletes the only claim. Checks that its pod stays, and that the claim names what holds the pod. */
  async function isHeld(by: string): Promise<Claim> {
    const claim = await someClaim(environment())
    const path = `${CLAIM_PATH}/${claim.metadata.name}`
    await environment().remove(path)
    await whenSays(
      environment(),
      path,
      { type: 'Drained', status: 'Unknown' },
      new RegExp(`^1 pod is waiting to be evicted; ${by} holds pod default/`),
    )
    await sleep(SEVERAL_TRIES_MS)
    const { pods } = await takeInventory(environment().stack)
    expect(pods).toEqual([expect.objectContaining({ node: `joiner-${claim.metadata.name}`, isRunning: true })])
    return claim
  }

  async function isFreed(claim: Claim): Promise<void> {
    const node = `joiner-${claim.metadata.name}`
    await until(async () => ((await takeInventory(environment().stack)).vms.includes(node) ? `machine ${node} is there` : undefined))
    await environment().settle(1)
    expect(environment().machinesMade()).toHaveLength(2)
  }

  it('waits for a pod disruption budget, and goes on when it is gone', async () => {
    await environment().scale('app', 1)
    await environment().settle(1)
    await environment().make(BUDGET_PATH, {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'app' },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'app' } } },
    })
    const claim = await isHeld('poddisruptionbudget default/app')
    await environment().remove(`${BUDGET_PATH}/app`)
    await isFreed(claim)
  })

  it('says that two budgets hold a pod, which each of them would let go, and goes on when one is gone', async () => {
    await environment().scale('app', 1)
    await environment().settle(1)
    for (const name of ['first', 'second']) {
      await environment().make(BUDGET_PATH, {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name },
        spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'app' } } },
      })
    }
    const claim = await isHeld('the API server \\(.*more than one PodDisruptionBudget.*\\)')
    await environment().remove(`${BUDGET_PATH}/second`)
    await isFreed(claim)
  })

  it('waits while a pod of the same budget on another node is not ready, since its readiness probe fails', async () => {
    const probed = { ...container('1500m'), readinessProbe: { exec: { command: ['check'] }, periodSeconds: 1, failureThreshold: 1 } }
    const term = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'probed' } } }
    const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } }
    await environment().make(DEPLOYMENT_PATH, deployment('probed', 2, { containers: [probed], affinity }))
    await environment().settle(2)
    await environment().make(BUDGET_PATH, {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'probed' },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'probed' } } },
    })
    const [ill, well] = (await takeInventory(environment().stack)).pods
    const setProbe = (failing: string | null) =>
      environment().patch(`/api/v1/namespaces/default/pods/${ill?.name}`, { metadata: { annotations: { [FAILING_PROBES]: failing } } })
    await setProbe('readiness')
    await whenSays(environment(), `/api/v1/namespaces/default/pods/${ill?.name}`, { type: 'Ready', status: 'False' })
    const path = `${CLAIM_PATH}/${well?.node?.replace('joiner-', '')}`
    await environment().remove(path)
    const held = /^1 pod is waiting to be evicted; poddisruptionbudget default\/probed holds pod default\//
    await whenSays(environment(), path, { type: 'Drained', status: 'Unknown' }, held)
    await sleep(SEVERAL_TRIES_MS)
    expect((await takeInventory(environment().stack)).pods).toContainEqual(expect.objectContaining({ name: well?.name, isRunning: true }))
    await setProbe(null)
    await until(async () => ((await environment().get(path)) === undefined ? undefined : `${path} is there`))
    await environment().settle(2)
    await environment().remove(`${BUDGET_PATH}/probed`)
    await environment().remove(`${DEPLOYMENT_PATH}/probed`)
    await environment().settle(0)
  })

  it('waits for a pod that may not be disrupted, and goes on when it may', async () => {
    await environment().make(DEPLOYMENT_PATH, deployment('held', 1, {}, HELD))
    await environment().settle(1)
    const claim = await isHeld(ANNOTATED)
    const pod = (await takeInventory(environment().stack)).pods[0]?.name ?? ''
    await environment().patch(`/api/v1/namespaces/default/pods/${pod}`, {
      metadata: { annotations: { 'karpenter.sh/do-not-disrupt': null } },
    })
    await isFreed(claim)
  })

  it('E2E-11 lets the daemons of a node go only after its other pods, however long their hooks take', async () => {
    const daemon = { metadata: { labels: { app: 'daemon' } }, spec: { terminationGracePeriodSeconds: 0, containers: [container('10m')] } }
    const ofDaemon = { selector: { matchLabels: { app: 'daemon' } }, template: daemon }
    await environment().make(DAEMON_SET_PATH, { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'daemon' }, spec: ofDaemon })
    const slow = { ...container('1200m'), lifecycle: { preStop: { exec: { command: ['sleep', '6'] } } } }
    await environment().make(DEPLOYMENT_PATH, deployment('slow', 1, { terminationGracePeriodSeconds: 30, containers: [slow] }))
    await until(async () => {
      const running = (await takeInventory(environment().stack)).pods.filter(({ isRunning }) => isRunning)
      return running.length === 2 ? undefined : `${running.length} pods run`
    })
    const { metadata } = await someClaim(environment())
    await environment().remove(`${CLAIM_PATH}/${metadata.name}`)
    const seen = new Set<string>()
    await until(async () => {
      const { items = [] } = (await environment().get<Listed<Pod>>('/api/v1/namespaces/default/pods')) ?? {}
      const own = items.filter(({ spec }) => spec.nodeName === `joiner-${metadata.name}`)
      seen.add(
        own
          .map((pod) => `${pod.metadata.labels?.['app']}${pod.metadata.deletionTimestamp === undefined ? '' : ' going'}`)
          .sort()
          .join(', '),
      )
      return own.length === 0 ? undefined : `pods are still there: ${[...seen].at(-1)}`
    })
    expect([...seen]).toContain('daemon, slow going')
    expect([...seen].filter((each) => each.includes('daemon going') && each.includes('slow'))).toEqual([])
    await environment().remove(`${DEPLOYMENT_PATH}/slow`)
    await environment().remove(`${DAEMON_SET_PATH}/daemon`)
    await environment().settle(0)
  })

  it('waits for a VolumeAttachment that lingers, and goes on when it is gone', async () => {
    await environment().scale('app', 1)
    await environment().settle(1)
    const { metadata } = await someClaim(environment())
    const path = `${CLAIM_PATH}/${metadata.name}`
    const source = { persistentVolumeName: 'data' }
    const spec = { attacher: 'disk.csi.azure.com', nodeName: `joiner-${metadata.name}`, source }
    await environment().make(ATTACHMENT_PATH, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'VolumeAttachment',
      metadata: { name: 'csi-data' },
      spec,
    })
    await environment().remove(path)
    const waits = { type: 'VolumesDetached', status: 'Unknown' }
    await whenSays(environment(), path, waits, /^volume data still attached$/)
    await sleep(SEVERAL_TRIES_MS)
    expect((await takeInventory(environment().stack)).vms).toContain(`joiner-${metadata.name}`)
    await environment().remove(`${ATTACHMENT_PATH}/csi-data`)
    await isFreed({ metadata })
  })

  describe('with a termination grace period', () => {
    it('ends by the deadline, whatever holds the pods', async () => {
      await environment().make(POOL_PATH, poolNamed('blue', { labels: BLUE, template: { terminationGracePeriod: '25s' } }))
      await environment().make(DEPLOYMENT_PATH, deployment('held', 1, { nodeSelector: BLUE, terminationGracePeriodSeconds: 5 }, HELD))
      await environment().settle(1)
      const claim = await isHeld(ANNOTATED)
      const deadlines = (await environment().get<Claim>(`${CLAIM_PATH}/${claim.metadata.name}`))?.metadata.annotations
      const deadline = Date.parse(deadlines?.['karpenter.sh/nodeclaim-termination-timestamp'] ?? '')
      expect(deadline).toBeGreaterThan(Date.now())
      await isFreed(claim)
      expect(Date.now()).toBeGreaterThan(deadline - 10_000)
    })
  })
}
