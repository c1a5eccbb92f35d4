import { describe, expect, it } from 'vitest'
import { localDns } from '../../test/builders/localDns.ts'
import { nodeClass } from '../../test/builders/nodeClass.ts'
import { localDnsState } from './localDns.ts'

const STATES = [undefined, 'Disabled', 'Enabled'] as const

function stateOf(mode: string | undefined, state: (typeof STATES)[number]): string {
  const { spec, status } = nodeClass({ spec: mode === undefined ? {} : { localDns: localDns(mode) } })
  const { localDnsState: _, ...others } = status
  return localDnsState({ spec, status: state === undefined ? others : { ...others, localDnsState: state } })
}

describe('NS-09 the state of local DNS', () => {
  const cases: { readonly [mode: string]: readonly [string, string, string] } = {
    Required: ['Enabled', 'Enabled', 'Enabled'],
    Disabled: ['Disabled', 'Disabled', 'Disabled'],
    // No version turns it on, and none that is on is turned off.
    Preferred: ['Disabled', 'Disabled', 'Enabled'],
    Unknown: ['Disabled', 'Disabled', 'Disabled'],
  }
  it.each(Object.entries(cases))('with mode %s, where the status says nothing, Disabled and Enabled', (mode, want) => {
    expect(STATES.map((state) => stateOf(mode, state))).toEqual(want)
  })

  it('is Disabled where the class says nothing', () => {
    expect(STATES.map((state) => stateOf(undefined, state))).toEqual(['Disabled', 'Disabled', 'Disabled'])
  })
})
