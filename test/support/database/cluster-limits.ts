import { isCluster } from './cluster.ts';

/** What does not hold on a cluster, and why: docs/scale.md says the same. */
const limits = {
  oneStatement: 'a mutation that adds an audited row takes several statements: the node is told first who acts',
};

/** Whether a test is to be skipped, since it is of something that does not hold on the cluster which it runs on. */
export const isLimited = (_limit: keyof typeof limits): boolean => isCluster;

/** Whether an answer to a mutation is by compiled queries: on a cluster, resolvers give those that add a row. */
export const isServed = ({ served }: { served: boolean }): boolean => (isCluster ? served : true);
