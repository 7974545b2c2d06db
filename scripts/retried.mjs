// A vitest reporter: prints the tests that passed only when they were tried again, with the error of their first try.

export default class RetriedTests {
  #retried = [];

  onTestCaseResult(test) {
    const { retryCount = 0 } = test.diagnostic() ?? {};
    const { state, errors } = test.result();
    if (retryCount === 0 || state !== 'passed') return;
    this.#retried.push({
      title: `${test.module.relativeModuleId} > ${test.fullName}`,
      error: errors?.[0]?.message,
    });
  }

  onTestRunEnd() {
    console.log(this.#retried.length === 0 ? '\nno test was retried' : '\nretried:');
    for (const { title, error = 'no message' } of this.#retried)
      console.log(`- ${title}\n    ${error.split('\n')[0]}`);
  }
}
