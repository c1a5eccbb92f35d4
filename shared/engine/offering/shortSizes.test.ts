import { describe, expect, it } from 'vitest'
import { ago, HOUR, hence, MINUTE, NOW } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { instanceType } from '../../../test/builders/instanceType.ts'
import { node } from '../../../test/builders/node.ts'
import { type NodeClaimShape, nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { nodeClass } from '../../../test/builders/nodeClass.ts'
import { nodeClassHash } from '../../model/driftHash.ts'
import { nodeClassName, vmSizeName, zoneName } from '../../model/ids.ts'
import { ANNOTATION } from '../../model/labels.ts'
import type { NodeClass } from '../../model/nodeClass.ts'
import type { Resources } from '../../model/resources.ts'
import type { ShortSize } from '../../model/sizeReport.ts'
import type { UnavailableOffering } from '../../model/unavailableOffering.ts'
import { askedAgain, askedAgainText, byAmounts, shortSizes, waitsOf, withShortSizes } from './shortSizes.ts'

const MIB = 1024 * 1024
const CLASS = nodeClass()
const TYPE = instanceType()
const TYPES = new Map([[nodeClassName('default'), [TYPE]]])
const PROMISED: Resources = Object.fromEntries(
  ['cpu', 'memory', 'ephemeral-storage'].map((name) => [name, (TYPE.capacity[name] ?? 0) - (TYPE.overhead[name] ?? 0)]),
)

type Seen = { readonly lacks?: Resources; readonly age?: number; readonly shape?: NodeClaimShape; readonly without?: string }

/** What is known after these nodes were seen, each with what it lacks. */
function learned(seen: readonly Seen[], known: readonly ShortSize[] = [], of: NodeClass = CLASS): readonly ShortSize[] {
  const nodes = seen.map(({ lacks = {}, age = 0, shape, without = '' }, at) => {
    const annotations = { [ANNOTATION.nodeClassHash]: nodeClassHash(CLASS) }
    const claim = nodeClaim({ name: `default-n${at}`, ...shape, meta: { annotations, createdAt: ago(age * MINUTE) } })
    const has = Object.entries(PROMISED).map(([name, amount]) => [name, name === without ? 0 : amount - (lacks[name] ?? 0)])
    return { claim, node: node({ claim: claim.name, allocatable: Object.fromEntries(has) }) }
  })
  return shortSizes(known, {
    takenAt: NOW,
    claims: nodes.map(({ claim }) => claim),
    nodeOf: (claim) => nodes.find((each) => each.claim === claim)?.node,
    classes: [of],
    instanceTypes: TYPES,
  })
}

const drifted = { status: { conditions: [condition('Initialized'), condition('Drifted')] } }

describe('F1: what nodes lack of what their size promises', () => {
  it.each<[sentence: string, seen: readonly Seen[], want: Resources | undefined]>([
    ['is nothing where they have it all', [{}], undefined],
    ['is nothing where they have more', [{ lacks: { memory: -MIB } }], undefined],
    ['is nothing where kubelets round', [{ lacks: { memory: 64 * 1024 } }], undefined],
    ['is rounded up', [{ lacks: { memory: MIB, cpu: 1 } }], { cpu: 10, memory: 16 * MIB }],
    ['is not learned from a node of more than an hour', [{ lacks: { memory: MIB }, age: 61 }], undefined],
    ['is learned from a node of an hour', [{ lacks: { memory: MIB }, age: 60 }], { memory: 16 * MIB }],
    [
      'is what the newest says',
      [
        { lacks: { memory: MIB }, age: 2 },
        { lacks: { memory: 20 * MIB }, age: 1 },
      ],
      { memory: 32 * MIB },
    ],
    ['is nothing where the newest has it all', [{ lacks: { memory: MIB }, age: 2 }, { age: 1 }], undefined],
    ['does not count while a resource is not reported', [{ lacks: { memory: MIB }, without: 'cpu' }], undefined],
    ['does not count where the node has drifted', [{ lacks: { memory: MIB }, shape: drifted }], undefined],
  ])('%s', (_sentence, seen, want) => expect(learned(seen)[0]?.short).toEqual(want))

  it('is remembered when the nodes are gone, until a newer node has it all', () => {
    const known = learned([{ lacks: { memory: MIB }, age: 5 }])
    expect(learned([], known)).toEqual(known)
    expect(learned([{ age: 4 }], known)).toEqual([])
    expect(learned([{ age: 6 }], known)).toEqual(known)
  })

  it('is forgotten when what nodes of the class are made from changes', () => {
    const known = learned([{ lacks: { memory: MIB } }])
    expect(learned([], known, { ...CLASS, status: { ...CLASS.status, kubernetesVersion: '9.9.9' } })).toEqual([])
    expect(learned([{ lacks: { memory: MIB } }], [], nodeClass({ spec: { osDiskSizeGb: 512 } }))).toEqual([])
  })

  it('is taken from the room of new nodes, in the same list each time', () => {
    const known = learned([{ lacks: { memory: MIB } }])
    const [type] = withShortSizes(TYPES, known).get(nodeClassName('default')) ?? []
    expect((type?.overhead['memory'] ?? 0) - (TYPE.overhead['memory'] ?? 0)).toBe(16 * MIB)
    expect(withShortSizes(TYPES, known).get(nodeClassName('default'))).toBe(withShortSizes(TYPES, [...known]).get(nodeClassName('default')))
    expect(withShortSizes(TYPES, [])).toBe(TYPES)
  })

  it('is remembered for each cluster that shares the list of the catalog', () => {
    const [one, other] = [learned([{ lacks: { memory: MIB } }]), learned([{ lacks: { cpu: 100 } }])]
    const listOf = (known: readonly ShortSize[]) => withShortSizes(TYPES, known).get(nodeClassName('default'))
    const [first, second] = [listOf(one), listOf(other)]
    expect(first).not.toBe(second)
    expect([listOf(one), listOf(other)]).toEqual([first, second])
    expect(listOf(one)).toBe(first)
    expect(listOf(other)).toBe(second)
  })
})

it('RV-08 the amounts of an offering take the place of those of its size, and are not added to them', () => {
  const [first, second] = TYPE.offerings
  if (first === undefined || second === undefined) throw new Error('the size has several offerings')
  const own = { ...second, capacity: { cpu: 1_000 }, overhead: { cpu: 10 } }
  const [plain, split] = byAmounts({ ...TYPE, offerings: [first, own] })
  expect([plain?.capacity, plain?.overhead, plain?.offerings]).toEqual([TYPE.capacity, TYPE.overhead, [first]])
  expect(split).toMatchObject({ capacity: { ...TYPE.capacity, cpu: 1_000 }, overhead: { ...TYPE.overhead, cpu: 10 }, offerings: [own] })
})

const ASKERS = Array.from({ length: 200 }, (_, index) => `gpu-${index}`)
const LONG = 2 * HOUR

/** A block of two hours of an offering in this zone, refused so often. */
function refused(times: number, zone = 'eastus-1'): UnavailableOffering {
  const scope = { kind: 'offering', size: vmSizeName('Standard_NC24ads_A100_v4'), zone: zoneName(zone) } as const
  const again = times === 1 ? {} : { again: { times, at: NOW, openedAt: NOW, firstMs: HOUR } }
  return { scope, until: hence(LONG), code: 'AZURE.ALLOCATION.ZONE', message: 'no room', ...again }
}

const endOf = (asker: string, block: UnavailableOffering): number => waitsOf(asker, [block])[0]?.until ?? 0

describe('the wait for a refused offering', () => {
  it('is the block itself after the first refusal', () => {
    const blocks = [refused(1)]
    expect(waitsOf('gpu-0', blocks)).toBe(blocks)
    expect(waitsOf('gpu-0', [refused(1), refused(2, 'eastus-2')])[0]).toEqual(refused(1))
  })

  it('is longer after further refusals by a time of the asker’s own, up to a tenth of the block', () => {
    const waits = ASKERS.map((asker) => endOf(asker, refused(2)) - hence(LONG))
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...waits)).toBeLessThan(LONG / 10)
    const perMinute = Map.groupBy(waits, (wait) => Math.floor(wait / MINUTE))
    expect(perMinute.size).toBe(12)
    expect(Math.max(...[...perMinute.values()].map(({ length }) => length))).toBeLessThan(ASKERS.length / 4)
  })

  it('is the same in each decision about one block, and another one for each refusal and each size', () => {
    expect(endOf('gpu-0', refused(2))).toBe(endOf('gpu-0', refused(2)))
    const other = { ...refused(2), scope: { kind: 'offering', size: vmSizeName('Standard_ND96amsr_A100_v4') } as const }
    const ends = [refused(2), refused(3), other].map((block) => endOf('gpu-0', block))
    expect(new Set(ends).size).toBe(3)
    expect(endOf('gpu-0', refused(2, 'eastus-2'))).toBe(ends[0])
  })
})

describe('what is said about blocks', () => {
  it.each<[want: string, blocks: readonly UnavailableOffering[]]>([
    ['', []],
    ['; Azure is asked again from 2026-01-01T02:00:00Z', [refused(1)]],
    ['; Azure refused 3 times in a row and is asked again from 2026-01-01T01:00:00Z', [refused(3), { ...refused(1), until: hence(HOUR) }]],
  ])('is "%s"', (want, blocks) => expect(askedAgainText(askedAgain(blocks))).toBe(want))
})
