import type { InstanceType } from '../../shared/model/instanceType.ts'
import { instanceType } from './instanceType.ts'

/** Twelve sizes in four families. Each family has one price per CPU. */
export function catalog(): readonly InstanceType[] {
  return [
    ...[2, 4, 8, 16].map((cpus) => size(`Standard_D${cpus}as_v6`, cpus, cpus * 4, 0.0475 * cpus, 'standardDasv6Family')),
    ...[2, 4, 8].map((cpus) => size(`Standard_E${cpus}as_v6`, cpus, cpus * 8, 0.0605 * cpus, 'standardEasv6Family')),
    ...[2, 4, 8].map((cpus) => size(`Standard_F${cpus}als_v6`, cpus, cpus * 2, 0.0415 * cpus, 'standardFalsv6Family')),
    ...[2, 4].map((cpus) =>
      instanceType({
        name: `Standard_D${cpus}pls_v6`,
        cpus,
        memoryGib: cpus * 2,
        arch: 'arm64',
        price: 0.034 * cpus,
        family: 'standardDplsv6Family',
      }),
    ),
  ]
}

function size(name: string, cpus: number, memoryGib: number, price: number, family: string): InstanceType {
  return instanceType({ name, cpus, memoryGib, price, family })
}
