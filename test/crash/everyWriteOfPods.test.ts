import { describe } from 'vitest'
import { testEveryWriteFailure, upAndDown } from './everyWrite.ts'
import { standalone } from './stories.ts'

describe('F13 F14: the story is through in time, with nothing left over and nothing done twice', () =>
  testEveryWriteFailure([
    { story: 'pods come and go', play: upAndDown },
    { story: 'pods come and go, where a process works at once on what it sends', play: upAndDown, options: { isConcurrent: true } },
    { story: 'a nodeclaim without a nodepool is made and deleted', play: standalone },
  ]))
