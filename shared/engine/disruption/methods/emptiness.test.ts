import { describe, expect, it } from 'vitest'
import type { PodClass } from '../../scheduling/model/pods/constraint.ts'
import { NONE_UNBOUND, type Unbound } from '../../scheduling/relocation/worstFit.ts'
import { gainOf, podsOnIdle } from './emptiness.ts'

const IDLE = new Map([
  ['idle', 300],
  ['other', 100],
])
const ONE: Unbound = new Set<PodClass>()

/** A try whose pods go to these machines. `filled`: machines that get pods of other moves in any case. */
function given(
  to: readonly string[],
  { idle = IDLE, filled = [] }: { readonly idle?: typeof IDLE; readonly filled?: readonly string[] } = {},
) {
  const trial = { receivingMachines: () => new Set(to), podsOn: () => ONE }
  const idling = { idle, wave: { receives: ({ name }: { readonly name: string }) => filled.includes(name) } }
  return { gain: (saving?: number) => gainOf({ saving }, trial, idling), onIdle: (saving: number) => podsOnIdle({ saving }, trial, idling) }
}

describe('what a move gains', () => {
  it.each<[what: string, to: readonly string[], more: Parameters<typeof given>[1], want: number]>([
    ['all that it saves where its pods go to other machines', ['busy'], {}, 400],
    ['less by the price of each idle machine that gets pods', ['busy', 'idle', 'other'], {}, 0],
    ['all that it saves where the idle machine stays for another move', ['idle'], { filled: ['idle'] }, 400],
    ['all that it saves where no machine is idle', ['idle'], { idle: new Map() }, 400],
  ])('is %s', (_, to, more, want) => expect(given(to, more).gain(400)).toBe(want))

  it('is unknown where the saving is', () => {
    expect(given(['busy']).gain()).toBeUndefined()
    expect(given(['idle']).gain()).toBe(-300)
  })
})

describe('pods on idle machines', () => {
  it('count where nothing is gained', () => {
    expect(given(['idle']).onIdle(300)).toBe(ONE)
    expect(given(['busy']).onIdle(0)).toBe(ONE)
  })

  it('do not count where something is gained, or where no machine is idle', () => {
    expect(given(['idle']).onIdle(301)).toBe(NONE_UNBOUND)
    expect(given(['idle'], { idle: new Map() }).onIdle(0)).toBe(NONE_UNBOUND)
  })
})
