import { describe, expect, it } from 'vitest'
import { dnsZone, localDns, NEEDED_ZONES } from '../../test/builders/localDns.ts'
import { nodeClass } from '../../test/builders/nodeClass.ts'
import { type NodePoolShape, nodePool } from '../../test/builders/nodePool.ts'
import { nodeClassHash, nodePoolHash } from './driftHash.ts'
import type { NodeClassSpec } from './nodeClass.ts'
import type { NodeClaimTemplate } from './nodePool.ts'
import { durationMs } from './units.ts'

const a = { key: 'a', effect: 'NoSchedule' } as const
const b = { key: 'b', effect: 'NoExecute' } as const
const pool = (template: Partial<NodeClaimTemplate>): string =>
  nodePoolHash(nodePool({ template: { labels: { x: 'y' }, taints: [a, b], ...template } }))
const spec = (overrides: Partial<NodeClassSpec>, state?: 'Enabled' | 'Disabled'): string =>
  nodeClassHash({ spec: { ...nodeClass().spec, ...overrides }, status: { ...nodeClass().status, ...(state && { localDnsState: state }) } })

describe('the hash of a pool', () => {
  const same: { [name: string]: Partial<NodeClaimTemplate> } = {
    nothing: {},
    'the order of taints': { taints: [b, a] },
    'requirements, which have a check of their own': { requirements: [{ key: 'k', operator: 'Exists', values: [] }] },
    'an empty list beside none': { startupTaints: [] },
    'an empty value beside none': { taints: [{ ...a, value: '' }, b] },
  }
  for (const [name, template] of Object.entries(same)) it(`does not change with ${name}`, () => expect(pool(template)).toBe(pool({})))
  const behaviour: { [name: string]: NodePoolShape } = {
    limits: { limits: { cpu: 1 } },
    weight: { weight: 5 },
    replicas: { replicas: 5 },
    disruption: { disruption: { consolidationPolicy: 'WhenEmpty', consolidateAfter: 'Never', budgets: [{ nodes: '1' }] } },
  }
  for (const [name, shape] of Object.entries(behaviour))
    it(`PN-03 does not change with ${name}`, () => expect(nodePoolHash(nodePool(shape))).toBe(nodePoolHash(nodePool())))
  const other: { [name: string]: Partial<NodeClaimTemplate> } = {
    labels: { labels: { x: 'z' } },
    annotations: { annotations: { x: 'z' } },
    taints: { taints: [a] },
    'startup taints': { startupTaints: [a] },
    'the class': { nodeClassRef: { ...nodePool({ nodeClass: 'other' }).template.nodeClassRef } },
    'the age limit': { expireAfter: 'Never' },
    'the grace period': { terminationGracePeriod: durationMs(1000) },
  }
  for (const [name, template] of Object.entries(other)) it(`PN-02 changes with ${name}`, () => expect(pool(template)).not.toBe(pool({})))
})

describe('the hash of a pool is that of Karpenter 1.15', () => {
  const bare = { labels: {}, annotations: {}, taints: [], startupTaints: [], expireAfter: durationMs(2_592_000_000) }
  const thirtyHours = { expireAfter: durationMs(108_000_000) }
  // By `Hash` of sigs.k8s.io/karpenter v1.15.0, 2026-11-30.
  it.each<[sentence: string, template: Partial<NodeClaimTemplate>, hash: string]>([
    ['with nothing', {}, '10684441112471014376'],
    ['with labels that are empty', { emptyFields: ['labels'] }, '11815208321021083818'],
    ['with annotations that are empty', { emptyFields: ['annotations'] }, '3942744500370918536'],
    ['with both that are empty', { emptyFields: ['labels', 'annotations'] }, '1008614773570990558'],
    ['with taints that are empty', { emptyFields: ['taints'] }, '9192506726283854313'],
    ['with startup taints that are empty', { emptyFields: ['startupTaints'] }, '5123382951634965059'],
    ['with all four that are empty', { emptyFields: ['labels', 'annotations', 'taints', 'startupTaints'] }, '12934914545893623882'],
    ['without an end', { expireAfter: 'Never' }, '7719316286182947569'],
    ['with an end at once', { expireAfter: durationMs(0) }, '13299542123811794366'],
    ['with an end after ten years', { expireAfter: durationMs(315_360_001_000) }, '2126652284164938445'],
    ['with labels', { labels: { a: 'b', team: 'x' }, ...thirtyHours }, '617045588568366372'],
    ['with signs of one to four bytes', { annotations: { note: 'Größe 3 € 🙂' }, ...thirtyHours }, '240958842439237707'],
    ['with taints', { taints: [a, { ...b, value: 'c' }] }, '8214877959132124622'],
    ['with startup taints', { startupTaints: [a] }, '7097351613684243500'],
    ['with a grace period', { terminationGracePeriod: durationMs(90_000) }, '16676857552506025713'],
    [
      'with all of these',
      {
        labels: { a: '' },
        annotations: { k: 'v' },
        taints: [{ ...a, value: '' }],
        startupTaints: [{ key: 's', value: '1', effect: 'PreferNoSchedule' }],
        nodeClassRef: nodePool({ nodeClass: 'other' }).template.nodeClassRef,
        expireAfter: durationMs(5_400_000),
        terminationGracePeriod: durationMs(0),
      },
      '16593805142951674634',
    ],
  ])('%s', (_sentence, template, hash) => {
    expect(nodePoolHash(nodePool({ template: { ...bare, ...template } }))).toBe(hash)
  })
})

describe('the hash of a class', () => {
  it('does not change with tags', () => expect(spec({ tags: { a: 'b' } })).toBe(spec({})))
  it('does not change with the order of a list', () => {
    expect(spec({ kubelet: { allowedUnsafeSysctls: ['a', 'b'] } })).toBe(spec({ kubelet: { allowedUnsafeSysctls: ['b', 'a'] } }))
  })
  const other: { [name: string]: Partial<NodeClassSpec> } = {
    'the disk': { osDiskSizeGb: 256 },
    'the kind of the disk': { osDiskType: 'Managed' },
    'the image family': { imageFamily: 'AzureLinux' },
    'the subnet': { vnetSubnetId: 's' },
    'the kubelet': { kubelet: { podPidsLimit: 5 } },
    'what is only passed through': { linuxOsConfig: { swapFileSize: '1Gi' } },
    'local DNS': { localDns: localDns('Required') },
    'a zone of local DNS': { localDns: localDns('Disabled', { kubeDNSOverrides: [...NEEDED_ZONES, dnsZone('a.example')] }) },
  }
  for (const [name, overrides] of Object.entries(other)) it(`changes with ${name}`, () => expect(spec(overrides)).not.toBe(spec({})))

  it('changes with the state of local DNS that the class leaves open, and with no other', () => {
    const of = (mode: string) => [spec({ localDns: localDns(mode) }, 'Disabled'), spec({ localDns: localDns(mode) }, 'Enabled')] as const
    expect(of('Preferred')[0]).not.toBe(of('Preferred')[1])
    for (const mode of ['Required', 'Disabled']) expect(of(mode)[0]).toBe(of(mode)[1])
  })
})
