"""Makes the tables of a new Label Studio server; run by the Python that it is installed for.

Its 261 migrations one by one take a minute; made from the models that they lead to, the tables are
the same. What is missing after all the server adds when it starts.
"""

from label_studio import server


def make_tables() -> None:
    server._setup_env()
    import core.urls  # noqa: F401  # imports the models that no app names
    from django.apps import apps
    from django.conf import settings
    from django.core.management import call_command
    from django.db import connection

    connection.cursor().execute("PRAGMA synchronous = OFF")  # else each waits for the disk
    settings.MIGRATION_MODULES = {app.label: None for app in apps.get_app_configs()}
    call_command("migrate", run_syncdb=True, verbosity=0)
    settings.MIGRATION_MODULES = {}
    call_command("migrate", fake=True, verbosity=0)


make_tables()
