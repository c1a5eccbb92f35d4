import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { CLAIM_PATH, DEPLOYMENT_PATH, deployment, POOL_PATH, poolNamed } from './clusterObjects.ts'
import type { Environment } from './environment.ts'
import { takeInventory } from './inventory.ts'
import { onCluster } from './onCluster.ts'
import { until } from './until.ts'
import { type Claim, claims, eventsOn, someClaim, whenTold } from './waits.ts'

onCluster('objects that others made', scenarios)

const BLUE = { team: 'blue' }
const OF_DEFAULT = { 'karpenter.sh/nodepool': 'default', 'karpenter.azure.com/aksnodeclass': 'default' }
const OTHER_CLASS = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' }
/** Longer than several looks at the cluster take. */
const SEVERAL_LOOKS_MS = 12_000
/** The annotations that Karpenter's provider for Azure leaves on a NodeClaim. Only that provider can compute the hash of the class. */
const OF_KARPENTER = {
  'karpenter.sh/nodepool-hash': '1234567890123456789',
  'karpenter.sh/nodepool-hash-version': 'v3',
  'karpenter.azure.com/aksnodeclass-hash': '9876543210987654321',
  'karpenter.azure.com/aksnodeclass-hash-version': 'v3',
}

type Annotated = { readonly metadata: { readonly annotations?: { readonly [key: string]: string } } }

function scenarios(environment: () => Environment): void {
  const textOf = async (path: string): Promise<string> => JSON.stringify(await environment().get(path))

  const annotationOf = async (path: string, key: string): Promise<string | undefined> =>
    (await environment().get<Annotated>(path))?.metadata.annotations?.[key]

  it('a pool and a claim of another class stay as they are to the byte, and nothing is made for them', async () => {
    await environment().make(POOL_PATH, poolNamed('theirs', { labels: BLUE, template: { nodeClassRef: OTHER_CLASS } }))
    await environment().make(CLAIM_PATH, claimOfAnotherClass())
    const paths = [`${POOL_PATH}/theirs`, `${CLAIM_PATH}/theirs`]
    const before = await Promise.all(paths.map(textOf))
    await environment().make(DEPLOYMENT_PATH, deployment('blue', 1, { nodeSelector: BLUE }))
    await environment().scale('app', 1)
    await until(async () => {
      const running = (await takeInventory(environment().stack)).pods.filter(({ isRunning }) => isRunning)
      return running.length === 1 ? undefined : `${running.length} pods run`
    })
    await sleep(SEVERAL_LOOKS_MS)
    expect(await Promise.all(paths.map(textOf))).toEqual(before)
    expect(await eventsOn(environment(), 'NodePool', 'theirs')).toEqual([])
    expect(await eventsOn(environment(), 'NodeClaim', 'theirs')).toEqual([])
    expect(environment().machinesMade()).toHaveLength(1)
  })

  it('CT-07 a second node with the provider id of a machine ends with the claim of the machine', async () => {
    await environment().scale('app', 1)
    await environment().settle(1)
    const { metadata } = await someClaim(environment())
    const { status } =
      (await environment().get<{ readonly status: { readonly providerID: string } }>(`${CLAIM_PATH}/${metadata.name}`)) ?? {}
    const twin = {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'twin', labels: OF_DEFAULT },
      spec: { providerID: status?.providerID },
    }
    await environment().make('/api/v1/nodes', twin)
    await environment().scale('app', 0)
    await environment().settle(0)
    expect(environment().machinesMade()).toHaveLength(1)
  })

  describe('hashes of Karpenter', () => {
    it('become ours without a node that is replaced, and a changed template drifts afterwards', async () => {
      const disruption = { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: 'Never', budgets: [{ nodes: '100%' }] }
      await environment().make(POOL_PATH, poolNamed('blue', { labels: BLUE, capacityTypes: ['on-demand'], spec: { disruption } }))
      await environment().make(DEPLOYMENT_PATH, deployment('blue', 1, { nodeSelector: BLUE }))
      await environment().settle(1)
      const { metadata } = await someClaim(environment())
      const path = `${CLAIM_PATH}/${metadata.name}`
      const hashes = ['karpenter.sh/nodepool-hash', 'karpenter.azure.com/aksnodeclass-hash-version'] as const
      const found = () => Promise.all(hashes.map((each) => annotationOf(path, each)))
      const ours = await found()
      expect(ours).not.toContain(undefined)
      for (const [index, each] of hashes.entries()) expect(ours[index]).not.toBe(OF_KARPENTER[each])
      await environment().patch(path, { metadata: { annotations: OF_KARPENTER } })
      await until(async () => {
        const now = await found()
        return now.join() === ours.join() ? undefined : `the hashes of the claim are ${now}`
      })
      await sleep(SEVERAL_LOOKS_MS)
      expect((await claims(environment())).map(driftOf)).toEqual([[metadata.name, undefined]])
      await environment().patch(`${POOL_PATH}/blue`, { spec: { template: { metadata: { labels: { version: 'two' } } } } })
      await whenTold(environment(), 'NodeClaim', metadata.name, 'DisruptionTerminating', /Drifted/)
      await until(async () =>
        (await claims(environment())).some(({ metadata: { name } }) => name === metadata.name) ? 'it stays' : undefined,
      )
      await environment().settle(1)
      expect(environment().machinesMade()).toHaveLength(2)
    })
  })
}

function driftOf({ metadata, status }: Claim): readonly [string, string | undefined] {
  return [metadata.name, status?.conditions?.find(({ type }) => type === 'Drifted')?.status]
}

function claimOfAnotherClass(): object {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name: 'theirs', labels: BLUE },
    spec: { nodeClassRef: OTHER_CLASS, requirements: [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] }] },
  }
}
