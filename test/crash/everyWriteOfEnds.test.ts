import { describe } from 'vitest'
import { isReplacedOnce, testEveryWriteFailure, withVolumes } from './everyWrite.ts'
import { expire, repair } from './stories.ts'

describe('the story is through in time, with nothing left over and nothing done twice', () =>
  testEveryWriteFailure([
    { story: 'machines reach their age', play: expire, isSame: isReplacedOnce },
    { story: 'volumes are detached slowly', play: withVolumes },
    { story: 'a machine breaks', play: repair, isSame: isReplacedOnce },
  ]))
