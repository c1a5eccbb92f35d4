import { describe, expect, it } from 'vitest'
import { hence, MINUTE } from '../../../../test/builders/clock.ts'
import { instanceType, offering } from '../../../../test/builders/instanceType.ts'
import { explained, FULL, type Row, STORAGE } from '../../../../test/scenarios/explained.ts'
import { size, sold } from '../../../../test/scenarios/fixtureTypes.ts'
import { LABEL } from '../../../model/labels.ts'

const UNTIL = hence(5 * MINUTE)
const CHEAP = size('cheap', { cpus: 2, memoryGib: 2, offerings: [sold(0.1, 'z1')] })
const DEAR = size('dear', { cpus: 8, memoryGib: 16, offerings: [sold(1, 'z1')] })
const BOTH = [CHEAP, DEAR]
const DEMOTED = [{ size: CHEAP.name, because: 'notBooted', until: UNTIL }] as const

describe('what costs less is not taken since', () => {
  const table: { readonly [sentence: string]: Row } = {
    'it is too small': {
      given: { types: BOTH, pods: { p: { asks: { cpu: 3 } } } },
      want: { kind: 'amount', resource: 'cpu', asked: 3000, had: 1900, shortBy: 1100 },
    },
    'it is too small for the pods together': {
      given: { types: BOTH, pods: { p: { asks: { cpu: 1.5 } }, q: { near: 'app=p over hostname', asks: { cpu: 1 } } } },
      want: { kind: 'amount', asked: 2500, had: 1900 },
    },
    'it takes too few disks': {
      given: { ...STORAGE.twoDisks, types: [{ ...CHEAP, maxDataDisks: 1 }, DEAR], pods: { p: { mounts: 'one two' } } },
      want: { kind: 'disks', asked: 2, had: 1, shortBy: 1 },
    },
    'daemons fill it': {
      given: { types: BOTH, daemons: { d: { asks: { cpu: 2 } } }, pods: { p: { asks: {} } } },
      want: { kind: 'daemons' },
    },
    'daemons have its port': {
      given: {
        types: [{ ...CHEAP, requirements: instanceType({ name: 'cheap', arch: 'arm64' }).requirements }, DEAR],
        daemons: { d: { ports: '80', select: 'arch=arm64' } },
        pods: { p: { ports: '80' } },
      },
      want: { kind: 'ports', ports: [80], takenBy: 'daemons' },
    },
    'the pool asks for another zone': {
      given: {
        types: [size('s', { offerings: [sold(0.1, 'z1'), sold(0.2, 'z2')] })],
        pools: { default: { needs: 'zone=z2' } },
        pods: { p: {} },
      },
      want: { kind: 'labels', whose: 'pool', labels: [LABEL.zone] },
    },
    'the pool allows no spot': {
      given: {
        types: [size('s', { offerings: [sold(0.1, 'z1 spot'), sold(0.2, 'z1')] })],
        pools: { default: { needs: 'capacity=on-demand' } },
        pods: { p: {} },
      },
      want: { kind: 'labels', whose: 'pool', labels: [LABEL.capacityType] },
    },
    'its pods ask for another zone': {
      given: { types: [size('s', { offerings: [sold(0.1, 'z1'), sold(0.2, 'z2')] })], pods: { p: { select: 'zone=z2' } } },
      want: { kind: 'labels', whose: 'pods', labels: [LABEL.zone] },
    },
    'its pods prefer another zone': {
      given: { types: [size('s', { offerings: [sold(0.1, 'z1'), sold(0.2, 'z2')] })], pods: { p: { prefers: 'zone=z2' } } },
      want: { kind: 'labels', whose: 'pods', labels: [LABEL.zone] },
    },
    'its volumes are in another zone': {
      given: { ...STORAGE.inZone2, types: [size('s', { offerings: [sold(0.1, 'z1'), sold(0.2, 'z2')] })], pods: { p: { mounts: 'data' } } },
      want: { kind: 'labels', whose: 'volumes', labels: [LABEL.zone] },
    },
    'its pods are spread over zones': {
      given: {
        types: [size('s', { offerings: [sold(0.1, 'z1'), sold(0.2, 'z2')] })],
        nodes: { n1: FULL },
        pods: { old: { on: 'n1', labels: 'app=p' }, p: { spread: 'zone' } },
      },
      want: {
        kind: 'neighbours',
        rule: 'spread',
        label: LABEL.zone,
        domains: ['z1'],
        maxSkew: 1,
        counts: [
          ['z1', 1],
          ['z2', 1],
        ],
      },
    },
    'its pool weighs less': {
      given: {
        types: { a: [CHEAP], b: [DEAR] },
        pools: { light: { class: 'a' }, heavy: { class: 'b', weight: 10 } },
        pods: { p: {} },
      },
      want: { kind: 'weight', weight: 0, chosen: 10 },
    },
    'its pool has a taint': {
      given: { types: { a: [CHEAP], b: [DEAR] }, pools: { kept: { class: 'a', taints: 't' }, open: { class: 'b' } }, pods: { p: {} } },
      want: { kind: 'taints', taints: ['t:NoSchedule'] },
    },
    'spot was refused lately': {
      given: {
        types: [size('s', { offerings: [sold(0.1, 'z1 spot'), sold(0.2, 'z1')] })],
        unavailable: [{ scope: { kind: 'capacityType', capacityType: 'spot' }, until: UNTIL, code: 'AZURE.QUOTA.SPOT', message: 'full' }],
        pods: { p: {} },
      },
      want: { kind: 'blocked', code: 'AZURE.QUOTA.SPOT', times: 1, until: UNTIL, message: 'full' },
    },
    'its machines did not boot lately': {
      given: { types: [CHEAP, size('dear', { offerings: [sold(0.3, 'z1')] })], demoted: DEMOTED, pods: { p: {} } },
      want: { kind: 'demoted', because: 'notBooted', until: UNTIL },
    },
    'the quota is used up': {
      given: {
        types: [instanceType({ offerings: [offering({ quotaOf: 8, price: 0.1 }), offering({ capacityType: 'spot' })] })],
        pods: { p: {} },
      },
      want: { kind: 'quota', code: 'AZURE.QUOTA.FAMILY', limit: 8, used: 8 },
    },
    'it is not for sale': {
      given: { types: [size('s', { offerings: [sold(0.1, 'z1', undefined, false), sold(0.2, 'z2')] })], pods: { p: {} } },
      want: { kind: 'offering' },
    },
    'its reservation is used up': {
      given: {
        types: [size('s', { offerings: [sold(0.1, 'z1 reserved', { id: 'r', remaining: 0 }), sold(0.2, 'z2')] })],
        pods: { p: {} },
      },
      want: { kind: 'reservation', reservation: 'r' },
    },
    'the limit of its pool': {
      given: {
        types: [size('many', { cpus: 16, offerings: [sold(0.1, 'z1')] }), DEAR],
        pools: { default: { limits: { cpu: 8 } } },
        pods: { p: {} },
      },
      want: { kind: 'limit', resource: 'cpu', asked: 16_000, had: 8000, shortBy: 8000 },
    },
    'first fit does not look at prices': {
      given: {
        settings: { placement: 'firstFit' },
        types: { a: [CHEAP], b: [DEAR] },
        pools: { a: { class: 'a' }, b: { class: 'b' } },
        pods: { p: {} },
      },
      want: { kind: 'plan', placement: 'firstFit' },
    },
    'first fit does not look at prices, and four times its price is still less': {
      given: {
        settings: { placement: 'firstFit' },
        types: { a: [CHEAP], b: [DEAR] },
        demoted: DEMOTED,
        pools: { a: { class: 'a' }, b: { class: 'b' } },
        pods: { p: {} },
      },
      want: { kind: 'plan', placement: 'firstFit' },
    },
  }
  for (const [sentence, row] of Object.entries(table)) {
    it(sentence, () => {
      const found = explained(row)
      expect(found).toMatchObject({ kind: 'onNewClaim', claim: { cheaper: [{ sizes: [expect.any(String)], because: row.want }] } })
    })
  }

  it('groups offerings with one reason, the nearest reason first', () => {
    const types = [
      size('tiny', { cpus: 1, offerings: [sold(0.1, 'z1'), sold(0.1, 'z2')] }),
      size('less', { cpus: 2, offerings: [sold(0.2, 'z1')] }),
      size('gone', { offerings: [sold(0.3, 'z1', undefined, false)] }),
      DEAR,
    ]
    const found = explained({ given: { types, pods: { p: { asks: { cpu: 3 } } } }, want: {} })
    expect(found).toMatchObject({
      claim: {
        choice: { size: 'dear' },
        cheaper: [
          { sizes: ['gone'], choice: { size: 'gone' }, because: { kind: 'offering' } },
          { sizes: ['less', 'tiny'], choice: { size: 'less' }, because: { kind: 'amount' } },
        ],
      },
    })
  })
})
