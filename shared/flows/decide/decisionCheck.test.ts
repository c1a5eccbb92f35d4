import { describe, expect, it } from 'vitest'
import { pod } from '../../../test/builders/pod.ts'
import { snapshot } from '../../../test/builders/snapshot.ts'
import { createRecordedTelemetry } from '../../adapters/memory/telemetry.ts'
import { decide } from '../../engine/loadedCluster.ts'
import { clusterId } from '../../model/ids.ts'
import { createDecisionCheck } from './decisionCheck.ts'

const SNAPSHOT = snapshot({ objects: { pod: [pod()] } })
const RIGHT = decide(SNAPSHOT)

function checked(every: number) {
  const telemetry = createRecordedTelemetry()
  const check = createDecisionCheck(every)
  const played = { asked: 0, forgotten: 0 }
  const reader = {
    catchUp: () => Promise.reject(new Error('not called')),
    compactIfDue: () => Promise.reject(new Error('not called')),
    known: () => undefined,
    receive: () => undefined,
    hasSeen: () => undefined,
    size: () => 0,
    forget: () => void played.forgotten++,
  }
  return {
    played,
    lines: () => telemetry.lines.map(({ level, message }) => `${level}: ${message}`),
    decided(decision = RIGHT) {
      check.note(decision, () => {
        played.asked++
        return SNAPSHOT
      })
      check.run({ cluster: clusterId('test'), telemetry }, reader)
    },
  }
}

describe('the check of decisions', () => {
  it('compares each so many decisions one, and says that it is the same', () => {
    const { played, decided, lines } = checked(3)
    for (let decision = 0; decision < 7; decision++) decided()
    expect(played).toEqual({ asked: 2, forgotten: 0 })
    expect(lines()).toEqual(Array.from({ length: 2 }, () => 'info: a decision was made again from scratch: the same'))
  })

  it('says loudly that a decision differs, and lets go what made it', () => {
    const { played, decided, lines } = checked(1)
    decided({ ...RIGHT, actions: [] })
    expect(played).toEqual({ asked: 1, forgotten: 1 })
    expect(lines()).toEqual([expect.stringMatching(/^error: a decision of the loaded cluster differs/)])
  })

  it('costs nothing where it is not asked for', () => {
    const { played, decided, lines } = checked(0)
    decided({ actions: [], reasons: [] })
    expect([played, lines()]).toEqual([{ asked: 0, forgotten: 0 }, []])
  })
})
