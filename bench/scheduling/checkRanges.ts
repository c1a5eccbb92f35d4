// Plans the small workloads once and compares the results with ranges.json. Fails if a result is worse by more than the tolerance. Compares counts
// only, no times. node bench/scheduling/checkRanges.ts [--write]
import { parseArgs } from 'node:util'
import { compare, countsOf, inOneFigure, readRanges, writeRanges } from './ranges.ts'
import { SMALL_ADVERSARIAL } from './workloads/adversarial.ts'
import { missingFile, WORKLOADS, withNodeCost } from './workloads.ts'

const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } })
const ranges = readRanges()
const quick = WORKLOADS.filter((workload) => workload.isQuick)
const present = quick.filter((workload) => missingFile(workload) === undefined)
for (const { name } of quick) if (!present.some((each) => each.name === name)) console.log(`skipped: ${name}, whose data are not there`)

const counted = [
  ...present.map((workload) => ({ name: workload.name, counts: countsOf(workload) })),
  ...SMALL_ADVERSARIAL.map(withNodeCost).map((workload) => ({ name: workload.name, counts: inOneFigure(countsOf(workload)) })),
]
if (values.write) {
  writeRanges({ ...ranges, workloads: { ...ranges.workloads, ...Object.fromEntries(counted.map(({ name, counts }) => [name, counts])) } })
} else {
  for (const { name, counts } of counted) {
    const recorded = ranges.workloads[name]
    const { problems, notes } = recorded ? compare(recorded, counts, ranges.tolerance) : { problems: ['nothing is recorded'], notes: [] }
    for (const problem of problems) console.error(`${name}: ${problem}`)
    for (const note of notes) console.log(`${name}: better than recorded: ${note}; renew the file with --write`)
    if (problems.length > 0) process.exitCode = 1
  }
}
