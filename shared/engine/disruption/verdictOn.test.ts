import { describe, expect, it } from 'vitest'
import { NOW } from '../../../test/builders/clock.ts'
import { disruptionCommand } from '../../../test/builders/disruptionCommand.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import type { Decision } from '../../model/decision.ts'
import { nodeClaimName, objectKey, uid } from '../../model/ids.ts'
import { microUsdPerHour } from '../../model/units.ts'
import { disruptionLines } from '../scheduling/explain/disruptionLines.ts'
import { verdictOn } from './verdictOn.ts'

const COMMAND = disruptionCommand([nodeClaim({ name: 'default-c' })], { saving: microUsdPerHour(12_000) })
const TAKEN = COMMAND.candidates[0]?.claim ?? nodeClaimName('none')
const NOTHING: Decision = { actions: [], reasons: [] }

function said(decided: Partial<Decision>, commands: readonly (typeof COMMAND)[] = []): readonly string[] {
  const verdict = verdictOn(TAKEN, { ...NOTHING, ...decided }, commands)
  return verdict === undefined ? [] : disruptionLines(verdict, NOW)
}

describe('what moves do with a machine', () => {
  it('is the rule that stopped them, with its numbers', () => {
    const reasons = [
      { code: 'DISRUPTION.QUIET', subject: { kind: 'nodeClaim', name: TAKEN }, message: '20 s are left', fields: { seconds: 20 } },
    ] as const
    expect(verdictOn(TAKEN, { ...NOTHING, reasons }, [])).toEqual({
      kind: 'stays',
      code: 'DISRUPTION.QUIET',
      message: '20 s are left',
      fields: { seconds: 20 },
    })
    expect(said({ reasons })).toEqual(['  not disrupted (DISRUPTION.QUIET): 20 s are left'])
  })

  it('is the move that a decision made now begins', () => {
    const action = { kind: 'deleteClaim', claim: TAKEN, uid: uid('u'), because: 'Empty' } as const
    expect(said({ actions: [action] })).toEqual(['  the next decision disrupts it (Empty): 0 pods to move, no replacement, saving unknown'])
    const [first = ''] = said({ actions: [{ kind: 'startCommand', command: COMMAND }] })
    expect(first).toMatch(/^ {2}the next decision disrupts it.*, replaced by .*, saves \$0\.012\/h$/)
  })

  it('counts the nodes and pods of a move of several nodes', () => {
    const ref = (name: string) => ({ key: objectKey('default', name), uid: uid(name) })
    const candidates = COMMAND.candidates.flatMap((each) => [
      { ...each, pods: [ref('p'), ref('q')] },
      { ...each, claim: nodeClaimName('default-d'), pods: [ref('r')] },
    ])
    const verdict = verdictOn(TAKEN, { ...NOTHING, actions: [{ kind: 'startCommand', command: { ...COMMAND, candidates } }] }, [])
    expect(verdict).toMatchObject({ kind: 'next', nodes: 2, pods: 3 })
  })

  it('CA-33 is the move under way, and how far it has come', () => {
    const [line = ''] = said(NOTHING, [{ ...COMMAND, ready: COMMAND.replacements.slice(0, 1) }])
    expect(line).toContain(`move ${COMMAND.id} (${COMMAND.reason}) has been disrupting it`)
    expect(line).toContain(`1 of ${COMMAND.replacements.length} replacements are ready`)
  })

  it('is nothing where no rule spoke of the machine', () => {
    expect(said(NOTHING)).toEqual([])
    const reasons = [
      { code: 'DISRUPTION.QUIET', subject: { kind: 'nodeClaim', name: 'default-other' }, message: 'of another claim' },
      { code: 'POOL.STATIC', subject: { kind: 'nodePool', name: TAKEN }, message: 'of a pool with this name' },
    ] as const
    expect(said({ reasons })).toEqual([])
  })
})
