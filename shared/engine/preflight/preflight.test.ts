import { describe, expect, it } from 'vitest'
import { CLUSTER_ID, CLUSTERS, SUBSCRIPTION } from '../../../test/builders/managedCluster.ts'
import type { ClusterFacts } from '../../model/clusterFacts.ts'
import { PROBLEM_CODES } from '../../model/problem.ts'
import { parseManagedCluster } from '../../wire/azure/managedCluster.ts'
import { type PreflightOptions, preflight } from './preflight.ts'

type Kind = keyof typeof CLUSTERS

function factsOf(kind: Kind): ClusterFacts {
  const read = parseManagedCluster(CLUSTERS[kind], CLUSTER_ID)
  if (!read.ok) throw new Error(read.error.message)
  return read.value
}

const WISHES: PreflightOptions = { network: 'public', subscriptionId: SUBSCRIPTION }

/** The findings about each kind of cluster, in order. */
const EXPECTED: { readonly [Each in Kind]: readonly string[] } = {
  public: [],
  'authorized ranges': ['warn PREFLIGHT.AUTHORIZED_RANGES'],
  private: ['fail PREFLIGHT.PRIVATE_CLUSTER'],
  automatic: ['fail PREFLIGHT.AUTOMATIC', 'fail PREFLIGHT.NODE_AUTO_PROVISIONING', 'fail PREFLIGHT.NODE_GROUP_LOCKED'],
  locked: ['fail PREFLIGHT.NODE_GROUP_LOCKED'],
  'node auto provisioning': ['fail PREFLIGHT.NODE_AUTO_PROVISIONING'],
  'no Entra': ['fail PREFLIGHT.ENTRA'],
  'no OIDC issuer': ['fail PREFLIGHT.OIDC_ISSUER', 'fail PREFLIGHT.WORKLOAD_IDENTITY'],
  'no workload identity': ['fail PREFLIGHT.WORKLOAD_IDENTITY'],
  stopped: ['fail PREFLIGHT.STOPPED'],
  updating: ['fail PREFLIGHT.NOT_READY'],
  old: ['fail PREFLIGHT.VERSION'],
  kubenet: ['fail PREFLIGHT.NETWORK', 'fail PREFLIGHT.NETWORK'],
  'own network plugin': ['fail PREFLIGHT.NETWORK'],
  'service principal': ['fail PREFLIGHT.SERVICE_PRINCIPAL'],
  'own subnet': [],
  'no outbound': ['fail PREFLIGHT.OUTBOUND'],
  calico: ['fail PREFLIGHT.NETWORK'],
  'pod subnet': ['fail PREFLIGHT.NETWORK'],
  'dual stack': ['fail PREFLIGHT.NETWORK'],
  'http proxy': [],
  'own certificate authority': [],
  'network isolated': ['fail PREFLIGHT.OUTBOUND', 'fail PREFLIGHT.UNSUPPORTED'],
  'IMDS restriction': ['fail PREFLIGHT.NETWORK'],
  'disk encryption set': [],
  KMS: [],
  'protected pools': ['warn PREFLIGHT.POOLS', 'warn PREFLIGHT.POOLS'],
  'pools with local DNS': ['warn PREFLIGHT.POOLS'],
  'autoscaled pools': ['fail PREFLIGHT.OTHER_PROVISIONER'],
  newer: ['fail PREFLIGHT.VERSION'],
  'bare system pool': ['fail PREFLIGHT.SYSTEM_POOL'],
}

const told = (facts: ClusterFacts, options: Partial<PreflightOptions> = {}): readonly string[] =>
  preflight(facts, { ...WISHES, ...options }).map(({ severity, code }) => `${severity} ${code}`)

describe('preflight', () => {
  it.each(Object.entries(EXPECTED))('of a cluster of the kind: %s', (kind, expected) => {
    expect(told(factsOf(kind as Kind))).toEqual(expected)
  })

  it('names the cluster, and what to do about each finding', () => {
    const findings = (Object.keys(CLUSTERS) as readonly Kind[]).flatMap((kind) => preflight(factsOf(kind), WISHES))
    for (const { object, remedy, message } of findings) {
      expect(object).toBe(CLUSTER_ID)
      expect(remedy).not.toBe('')
      expect(message).not.toContain('undefined')
    }
    expect(findings.find(({ code }) => code === 'PREFLIGHT.NODE_GROUP_LOCKED')?.remedy).toBe(
      'az aks update --resource-group shop --name shop --nrg-lockdown-restriction-level Unrestricted',
    )
  })

  it('names the pools that the cluster autoscaler scales, and how to turn it off', () => {
    expect(preflight(factsOf('autoscaled pools'), WISHES)[0]).toMatchObject({
      message: expect.stringContaining('the pools web, jobs, vms: '),
      remedy: expect.stringMatching(
        /^az aks nodepool update --resource-group shop --cluster-name shop --name web --disable-cluster-autoscaler/,
      ),
    })
  })

  it('refuses a cluster of another subscription', () => {
    expect(told(factsOf('public'), { subscriptionId: '00000000-0000-4000-8000-00000000000f' })).toEqual(['fail PREFLIGHT.SUBSCRIPTION'])
    expect(told(factsOf('public'), { subscriptionId: SUBSCRIPTION.toUpperCase() })).toEqual([])
  })

  it.each([
    ['usgovvirginia', 1],
    ['usdodeast', 1],
    ['chinanorth3', 1],
    ['eastus', 0],
    ['southcentralus', 0],
  ])('takes only regions of the public cloud: %s', (location, count) => {
    expect(told({ ...factsOf('public'), location })).toEqual(Array(count).fill('fail PREFLIGHT.UNSUPPORTED'))
  })

  it('refuses a cluster of another tenant', () => {
    const [tenantId, other] = ['00000000-0000-4000-8000-000000000002', '00000000-0000-4000-8000-00000000000f']
    expect(told(factsOf('public'), { tenantId })).toEqual([])
    expect(told(factsOf('public'), { tenantId: other })).toEqual(['fail PREFLIGHT.TENANT'])
    expect(told(factsOf('no Entra'), { tenantId: other })).toEqual(['fail PREFLIGHT.ENTRA'])
  })

  it('says nothing of the way to the API server where it does not know it', () => {
    for (const kind of ['private', 'authorized ranges'] as const)
      expect(preflight(factsOf(kind), { subscriptionId: SUBSCRIPTION })).toEqual([])
  })

  it.each<[NonNullable<PreflightOptions['network']>, Kind, readonly string[]]>([
    ['vnet', 'private', []],
    ['private', 'private', []],
    ['vnet', 'authorized ranges', ['warn PREFLIGHT.AUTHORIZED_RANGES']],
  ])('with network %s of a cluster of the kind: %s', (network, kind, expected) => {
    expect(told(factsOf(kind), { network })).toEqual(expected)
  })

  it('asks for a fixed address where ranges are authorized, and for the network that has one', () => {
    const remedyOf = (network: NonNullable<PreflightOptions['network']>): string | undefined =>
      preflight(factsOf('authorized ranges'), { ...WISHES, network })[0]?.remedy
    expect(remedyOf('public')).toContain('JOINER_NETWORK vnet')
    expect(remedyOf('vnet')).not.toContain('JOINER_NETWORK')
  })

  it.each([
    ['1.29.15', false],
    ['1.30.0', true],
    ['1.36.9', true],
    ['1.37.0', false],
    ['2.0.0', false],
  ])('takes Kubernetes %s: %s', (kubernetesVersion, isTaken) => {
    expect(told({ ...factsOf('public'), kubernetesVersion }).length === 0).toBe(isTaken)
  })

  it('tells what fails before what warns', () => {
    const facts = { ...factsOf('authorized ranges'), powerState: 'Stopped' as const }
    expect(told(facts)).toEqual(['fail PREFLIGHT.STOPPED', 'warn PREFLIGHT.AUTHORIZED_RANGES'])
  })

  it('can come to each of its codes', () => {
    const reached = new Set([
      ...Object.values(EXPECTED)
        .flat()
        .map((each) => each.slice('fail '.length)),
      'PREFLIGHT.SUBSCRIPTION',
      'PREFLIGHT.TENANT',
      // In preflightInstallation.test.ts.
      ...['APP', 'NAME', 'REGION', 'TOOL', 'RIGHTS', 'PROVIDER', 'SUBNET', 'CHART', 'HEALTH_TOPIC', 'IMAGE'].map(
        (each) => `PREFLIGHT.${each}`,
      ),
    ])
    expect(PROBLEM_CODES.filter((code) => code.startsWith('PREFLIGHT.')).sort()).toEqual([...reached].sort())
  })
})
