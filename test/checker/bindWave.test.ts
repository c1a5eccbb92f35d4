import { describe, expect, it } from 'vitest'
import { LABEL } from '../../shared/model/labels.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { node } from '../builders/node.ts'
import { nodeClaim, nodeNameOf } from '../builders/nodeClaim.ts'
import { pod } from '../builders/pod.ts'
import { snapshot } from '../builders/snapshot.ts'
import { bindWave, type Wave, type WaveTrial } from './bindWave.ts'

/** A wave in which the machine `default-goes` ends without a replacement. `zones` maps the machines to their zones. */
function waveOf(zones: { readonly [name: string]: string }, pods: readonly Pod[]): Wave {
  const names = Object.keys(zones)
  const nodes = names.map((name) => node({ claim: name, zone: zones[name] ?? '' }))
  const claims = names.map((name) => nodeClaim({ name, zone: zones[name] ?? '' }))
  const at = names.indexOf('default-goes')
  const [going, claim] = [nodes[at], claims[at]]
  if (going === undefined || claim === undefined) throw new Error('no machine goes')
  const own = pods.filter(({ nodeName }) => nodeName === going.name)
  return {
    snapshot: snapshot({ objects: { node: nodes, nodeClaim: claims, pod: pods } }),
    deleting: [{ claim, node: going, reason: 'Underutilized', pods: own, with: 0 }],
    creates: [],
  }
}

/** The pods without a place. */
function unbound(wave: Wave, trial: Partial<WaveTrial>): readonly string[] {
  const answer = bindWave(wave, { withGhosts: true, order: 'random', isEarly: false, balance: 'none', otherPlugins: 0, seed: 1, ...trial })
  return answer.unbound.map(({ key }) => key)
}

const on = (claim: string, name: string, shape: Parameters<typeof pod>[0]): Pod => pod({ name, nodeName: nodeNameOf(claim), ...shape })

describe('pods of a wave', () => {
  // Free CPUs: 3.26 on the first node, 0.86 on the second one.
  const tight = waveOf({ 'default-goes': 'eastus-1', 'default-empty': 'eastus-1', 'default-full': 'eastus-1' }, [
    on('default-goes', 'large', { cpus: 3 }),
    on('default-goes', 'small', { cpus: 0.6 }),
    on('default-empty', 'other', { cpus: 0.6 }),
    on('default-full', 'heavy', { cpus: 3 }),
  ])

  it('find no place if a smaller pod takes the emptiest node first', () => {
    expect(unbound(tight, { order: 'smallestFirst' })).toEqual(['default/large'])
  })

  it('may find no place if another plugin brings a pod to a node that is not the emptiest', () => {
    const wave = waveOf({ 'default-goes': 'eastus-1', 'default-emptiest': 'eastus-1', 'default-emptier': 'eastus-2' }, [
      on('default-goes', 'large', { cpus: 3, nodeSelector: { [LABEL.zone]: 'eastus-2' } }),
      on('default-goes', 'small', { cpus: 0.6 }),
      on('default-emptiest', 'other', { cpus: 0.6 }),
      on('default-emptier', 'more', { cpus: 0.7 }),
    ])
    const largeIsLeft = (otherPlugins: number) =>
      Array.from({ length: 20 }, (_, seed) => unbound(wave, { order: 'smallestFirst', otherPlugins, seed }).length > 0)
    expect(largeIsLeft(0)).not.toContain(true)
    expect(new Set(largeIsLeft(0.1)).size).toBe(2)
  })

  // Half of the memory of the first node is used, and none of its CPU. The second node is emptier.
  const inBalance = { cpus: 0.77, memoryGib: 2.6 }
  const outOfBalance = { cpus: 1.54, memoryGib: 0 }
  it.each([
    { balance: 'none', second: inBalance, left: [] },
    { balance: '1.35', second: inBalance, left: [] },
    { balance: '1.36', second: inBalance, left: ['default/large'] },
    { balance: 'none', second: outOfBalance, left: [] },
    { balance: '1.35', second: outOfBalance, left: ['default/large'] },
    { balance: '1.36', second: outOfBalance, left: ['default/large'] },
  ] as const)('may go to the node that they bring into balance: $balance, beside $second', ({ balance, second, left }) => {
    const wave = waveOf({ 'default-goes': 'eastus-1', 'default-first': 'eastus-1', 'default-second': 'eastus-2' }, [
      on('default-goes', 'large', { cpus: 3.1, nodeSelector: { [LABEL.zone]: 'eastus-1' } }),
      on('default-goes', 'small', { cpus: 0.965, memoryGib: 0 }),
      on('default-first', 'other', { cpus: 0, memoryGib: 6.5 }),
      on('default-second', 'more', second),
    ])
    expect(unbound(wave, { order: 'smallestFirst', balance })).toEqual(left)
  })

  it('find a place in the order in which they fit', () => {
    expect(unbound(tight, { order: 'largestFirst' })).toEqual([])
  })

  const selector = { matchLabels: { app: 'a' }, matchExpressions: [] }
  const spread = (nodeTaintsPolicy: 'Ignore' | 'Honor'): Wave => {
    const topologySpread = [
      {
        maxSkew: 1,
        topologyKey: LABEL.zone,
        whenUnsatisfiable: 'DoNotSchedule' as const,
        selector,
        nodeAffinityPolicy: 'Honor' as const,
        nodeTaintsPolicy,
        matchLabelKeys: [],
      },
    ]
    const shape = { labels: { app: 'a' }, topologySpread }
    return waveOf({ 'default-goes': 'eastus-1', 'default-b': 'eastus-2', 'default-c': 'eastus-3' }, [
      on('default-goes', 'a1', shape),
      on('default-b', 'a2', shape),
      on('default-c', 'a3', shape),
    ])
  }

  it('find no place while the node that goes still counts as an empty domain of their spread', () => {
    expect(unbound(spread('Ignore'), { withGhosts: true })).toEqual(['default/a1'])
  })

  it('find a place once the node is gone, or if their spread leaves out nodes with taints', () => {
    expect(unbound(spread('Ignore'), { withGhosts: false })).toEqual([])
    expect(unbound(spread('Honor'), { withGhosts: true })).toEqual([])
  })
})
