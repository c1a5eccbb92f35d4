import { describe } from 'vitest'
import { isReplacedOnce, testEveryWriteFailure, WITHIN_MS } from './everyWrite.ts'
import { driftStatic, scaleStatic } from './stories.ts'

describe('the story is through in time, with nothing left over and nothing done twice', () =>
  testEveryWriteFailure([
    { story: 'SP-01 SU-06 a static pool is scaled', play: scaleStatic },
    { story: 'a static pool drifts', play: driftStatic, isSame: isReplacedOnce, within: 2 * WITHIN_MS },
  ]))
