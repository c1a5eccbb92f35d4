import { describe, expect, it } from 'vitest'
import { buildInstanceTypes } from '../../shared/adapters/azure/sizes/instanceTypes.ts'
import { usableSize } from '../../shared/adapters/azure/sizes/size.ts'
import { decideProvisioning } from '../../shared/engine/scheduling/planningState.ts'
import type { CreateClaim, Decision } from '../../shared/model/decision.ts'
import { LABEL, WELL_KNOWN_LABELS } from '../../shared/model/labels.ts'
import { hence, MINUTE } from '../builders/clock.ts'
import { instanceType } from '../builders/instanceType.ts'
import { nodePool } from '../builders/nodePool.ts'
import { pod, pods } from '../builders/pod.ts'
import { snapshot } from '../builders/snapshot.ts'
import { clusterConfig, nodeClass } from './harness.ts'
import { sku } from './skuBuilder.ts'

const claimsOf = ({ actions }: Decision): readonly CreateClaim[] => actions.filter((each) => each.kind === 'createClaim')
const sizesOf = (decision: Decision) => claimsOf(decision).map(({ choice }) => choice.size)

const FOUR = instanceType({ name: 'Standard_D4as_v6', cpus: 4, memoryGib: 16, price: 0.3 })
const EIGHT = instanceType({ name: 'Standard_D8as_v6', cpus: 8, memoryGib: 32, price: 0.2 })
const OTHER = instanceType({ name: 'Standard_F4s_v2', cpus: 4, memoryGib: 8, family: 'standardFSv2Family', price: 0.9 })

describe('a family of sizes that is blocked', () => {
  const blocked = (minCpus: number) => ({
    scope: { kind: 'family', family: 'standardDasv6Family', minCpus } as const,
    until: hence(MINUTE),
    code: 'AZURE.QUOTA.FAMILY' as const,
    message: 'no quota',
  })

  it('ER-17 from some CPUs up has its pods on smaller sizes', () => {
    const given = { types: [FOUR, EIGHT], objects: { pod: pods(4, { cpus: 1.5 }) } }
    expect(sizesOf(decideProvisioning(snapshot(given)))).toEqual(['Standard_D8as_v6'])
    expect(sizesOf(decideProvisioning(snapshot({ ...given, unavailable: [blocked(8)] })))).toEqual(['Standard_D4as_v6', 'Standard_D4as_v6'])
  })

  it('ER-31 leaves the pods to a pool of less weight', () => {
    const only = (name: string, size: string, weight: number) =>
      nodePool({ name, weight, template: { requirements: [{ key: LABEL.instanceType, operator: 'In', values: [size] }] } })
    const nodePools = [only('first', 'Standard_D4as_v6', 10), only('second', 'Standard_F4s_v2', 1)]
    const given = { types: [FOUR, OTHER], objects: { pod: [pod()], nodePool: nodePools } }
    const poolsOf = (decision: Decision) => claimsOf(decision).map(({ draft }) => draft.nodePool)
    expect(poolsOf(decideProvisioning(snapshot(given)))).toEqual(['first'])
    expect(poolsOf(decideProvisioning(snapshot({ ...given, unavailable: [blocked(4)] })))).toEqual(['second'])
  })
})

describe('sizes as Azure tells them', () => {
  const RECORDS = [
    sku({
      ultraSsdZones: ['1'],
      capabilities: { UltraSSDAvailable: 'True', EphemeralOSDiskSupported: 'True', CachedDiskBytes: String(200 * 1024 ** 3) },
    }),
    sku({ name: 'Standard_D2ps_v5', capabilities: { CpuArchitectureType: 'Arm64', HyperVGenerations: 'V2' } }),
    sku({ name: 'Standard_NC4as_T4_v3', capabilities: { vCPUs: '4', MemoryGB: '28', GPUs: '1' } }),
  ]
  const config = clusterConfig({
    subscriptionId: '00000000-0000-4000-8000-000000000001',
    tenantId: '00000000-0000-4000-8000-000000000002',
    location: 'eastus',
    resourceGroups: ['mc_a'],
    subnetId: '/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/v/subnets/n',
  })
  const prices = {
    Standard_D2s_v5: { onDemand: 96_000 },
    Standard_D2ps_v5: { onDemand: 90_000 },
    Standard_NC4as_T4_v3: { onDemand: 526_000 },
  }
  const types = buildInstanceTypes(
    { sizes: RECORDS.flatMap((record) => usableSize(record) ?? []), prices, usages: {} },
    nodeClass(),
    config,
  )

  it('VM-26 give a pod with a GPU a size with one, and other pods the cheapest without', () => {
    const gpu = pod({ name: 'gpu' })
    const asked = { ...gpu, requests: { ...gpu.requests, 'nvidia.com/gpu': 1 } }
    expect(sizesOf(decideProvisioning(snapshot({ types, objects: { pod: [asked] } })))).toEqual(['Standard_NC4as_T4_v3'])
    expect(sizesOf(decideProvisioning(snapshot({ types, objects: { pod: [pod()] } })))).toEqual(['Standard_D2s_v5'])
  })

  it('IT-25 have a machine for a pod for each value of each well-known label', () => {
    const values = new Map<string, Set<string>>()
    for (const { requirements, offerings } of types)
      for (const { key, values: some, complement } of [...requirements, ...offerings.flatMap((each) => each.requirements)])
        if (WELL_KNOWN_LABELS.has(key) && !complement) values.set(key, new Set([...(values.get(key) ?? []), ...some]))
    const selectors = [...values].flatMap(([key, some]) => [...some].map((value) => ({ [key]: value })))
    expect(selectors.length).toBeGreaterThan(40)
    const asking = selectors.map((nodeSelector, index) => pod({ name: `p${index}`, nodeSelector, cpus: 0.1, memoryGib: 0.1 }))
    const decision = decideProvisioning(snapshot({ types, objects: { pod: asking } }))
    const refused = decision.reasons.filter(({ subject }) => subject.kind === 'pod').map(({ subject }) => subject.name)
    expect(selectors.filter((_, index) => refused.includes(`default/p${index}`))).toEqual([])
    expect(claimsOf(decision).flatMap(({ pods: some }) => some).length).toBe(selectors.length)
  })
})
