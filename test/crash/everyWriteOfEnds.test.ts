import { isReplacedOnce, strikeEveryWrite, withVolumes } from './everyWrite.ts'
import { expire, repair } from './stories.ts'

await strikeEveryWrite([
  { story: 'machines reach their age', play: expire, isSame: isReplacedOnce },
  { story: 'volumes are detached slowly', play: withVolumes },
  { story: 'a machine breaks', play: repair, isSame: isReplacedOnce },
])
