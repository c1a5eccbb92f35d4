/**
 * The size of the young generation that Node chooses on an instance of 2 GiB, which the template deploys (a heap limit of 1,120 MiB: 1,024 and three
 * semi-spaces). With more memory, Node would choose more.
 */
export const INSTANCE_HEAP = '--max-semi-space-size=32'
