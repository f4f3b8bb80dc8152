import { newId } from '../../../src/database/ids.ts';
import { fold } from '../../../src/text/fold.ts';

type Ids = Record<'workspaceId' | 'agentId' | 'sourceId' | 'evaluationRunId' | 'evaluationCaseId', string>;
type Made = { workspaceId: string; createdBy: string; updatedBy: string };

let count = 0;

/** Builds the rows of evaluations. */
export function evaluationRowMakers(made: Made, ids: Ids, label: (what: string) => string) {
  const { workspaceId, agentId, sourceId } = ids;
  return {
    evaluationCase: () => {
      const question = label('question');
      return {
        ...made,
        id: newId('evaluationCase'),
        agentId,
        question,
        questionKey: label('key'),
        expectedSourceId: sourceId,
        expectedText: label('expected'),
        searchText: fold(question),
      };
    },
    evaluationRun: () => ({
      ...made,
      id: newId('evaluationRun'),
      agentId,
      status: 'succeeded' as const,
      answers: true,
      caseCount: 2,
      doneCount: 2,
      passedCount: 1,
    }),
    evaluationResult: () => ({
      workspaceId,
      id: newId('evaluationResult'),
      runId: ids.evaluationRunId,
      caseId: ids.evaluationCaseId,
      position: ++count,
      question: label('question'),
      expectedSourceId: sourceId,
      passed: true,
      rank: 1,
      answer: label('answer'),
    }),
  };
}
