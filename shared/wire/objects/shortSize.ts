import type { NodeClassName, VmSizeName } from '../../model/ids.ts'
import type { ShortSize } from '../../model/sizeReport.ts'
import { as, type Codec, record, text } from '../codec.ts'
import { instant, resources } from './shared.ts'

export const shortSize: Codec<ShortSize> = record<ShortSize>({
  nodeClass: as<NodeClassName>(text),
  size: as<VmSizeName>(text),
  madeFrom: text,
  short: resources,
  createdAt: instant,
})
