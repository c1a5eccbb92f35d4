import { isReplacedOnce, strikeEveryWrite, WITHIN_MS } from './everyWrite.ts'
import { driftStatic, scaleStatic } from './stories.ts'

await strikeEveryWrite([
  { story: 'a static pool is scaled', play: scaleStatic },
  { story: 'a static pool drifts', play: driftStatic, isSame: isReplacedOnce, within: 2 * WITHIN_MS },
])
