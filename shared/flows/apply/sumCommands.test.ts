import { describe, expect, it } from 'vitest'
import { disruptionCommand } from '../../../test/builders/disruptionCommand.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import type { DeleteClaim } from '../../model/decision.ts'
import { nodeClaimName, objectKey, uid, vmSizeName, zoneName } from '../../model/ids.ts'
import { microUsdPerHour } from '../../model/units.ts'
import { sumCommands } from './sumCommands.ts'

const ENDED: DeleteClaim = {
  kind: 'deleteClaim',
  claim: nodeClaimName('default-a'),
  uid: uid('a'),
  because: 'Underutilized',
  pods: [{ key: objectKey('default', 'web'), uid: uid('web') }],
  saves: { size: vmSizeName('small'), zone: zoneName('1'), capacityType: 'spot', price: microUsdPerHour(20_000) },
}

describe('the sum of the moves that a decision begins', () => {
  it('says what is gained and what is moved for that', () => {
    const command = disruptionCommand([nodeClaim({ name: 'default-c' })], { saving: microUsdPerHour(-5_000) })
    const pods = command.candidates.reduce((sum, each) => sum + each.pods.length, 0)
    expect(sumCommands([ENDED, { kind: 'startCommand', command }])).toEqual({
      nodes: 1 + command.candidates.length,
      replacements: command.replacements.length,
      pods: 1 + pods,
      saving: 15_000,
    })
  })

  it('says no gain where a price is not known', () => {
    const { saves: _, ...unpriced } = ENDED
    expect(sumCommands([ENDED, unpriced])).toEqual({ nodes: 2, replacements: 0, pods: 2 })
  })

  it('counts a step of a move under way no second time', () => {
    expect(sumCommands([{ ...ENDED, command: '7-0' }])).toBeUndefined()
    expect(sumCommands([])).toBeUndefined()
  })
})
