"""The schema that the service ships is the one that the agent tells of itself."""

from instrument_watcher.config.schema import describe_config

from watchers.config_rules import LOCAL_KEYS, SCHEMA, VALIDATOR


def test_the_service_ships_what_the_agent_says():
    write_it = "instrument-watcher config schema > watchers/agent_config.schema.json"

    assert describe_config() == SCHEMA, write_it


def test_it_is_a_schema():
    VALIDATOR.check_schema(SCHEMA)


def test_the_keys_that_stay_with_the_computer_are_keys():
    assert set(LOCAL_KEYS) <= set(SCHEMA["properties"])
